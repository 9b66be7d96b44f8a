"""``cender annotate``: what it prints, opens and keeps before it serves the page."""

import re
import shutil
import socket
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import uvicorn
from typer.testing import CliRunner

from cases.runs import build_run
from cender.cli.annotate import say_address
from cender.cli.app import app
from cender.errors import ConfigError, DataError

LONGEST_S = 30


@pytest.fixture(scope="module")
def worm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run folder beside its recording."""
    return build_run(tmp_path_factory.mktemp("command"), volumes=4).path


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ports on which a server would have begun; none does."""
    ports: list[int] = []

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        ports.extend(one.getsockname()[1] for one in sockets)

    monkeypatch.setattr(uvicorn.Server, "run", run)
    return ports


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that the browser was asked to open."""
    found: list[str] = []
    monkeypatch.setattr("webbrowser.open", found.append)
    return found


def annotate(*words: str) -> Any:
    return CliRunner().invoke(app, ["annotate", *words])


def test_it_prints_the_address_and_the_ssh_line_and_opens_the_browser(
    worm: Path, served: list[int], opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "lab-server")
    done = annotate(str(worm))
    assert done.exit_code == 0, done.output
    (port,) = served
    address = f"http://localhost:{port}/"
    assert done.stdout.split() == [address]
    assert f"ssh -N -L {port}:localhost:{port} lab-server" in done.stderr
    end = time.monotonic() + LONGEST_S
    while not opened and time.monotonic() < end:
        time.sleep(0.05)
    assert opened == [address]


def test_it_opens_a_volume_and_no_browser_where_none_is_wanted(
    worm: Path, served: list[int], opened: list[str]
) -> None:
    done = annotate(str(worm), "--volume", "3", "--token", "a-long-secret", "--no-browser")
    assert done.stdout.split() == [f"http://localhost:{served[0]}/?token=a-long-secret#v=3"]
    # A browser would have been opened half a second later.
    time.sleep(0.8)
    assert opened == []


def test_an_address_that_it_prints_can_be_opened_whatever_the_token_has() -> None:
    address = say_address("::2", 8765, "a&b=c#d e", 3)
    assert address == "http://[::2]:8765/?token=a%26b%3Dc%23d%20e#v=3"
    assert parse_qs(urlsplit(address).query) == {"token": ["a&b=c#d e"]}


def test_a_given_port_is_used_or_refused(worm: Path, served: list[int]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = str(other.getsockname()[1])
        done = annotate(str(worm), "--port", taken, "--no-browser")
    assert isinstance(done.exception, ConfigError)
    assert f"port {taken} of 127.0.0.1 cannot be used" in str(done.exception)
    assert served == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--host", "192.0.2.7"], "give a secret with --token"),
        (["--host", "192.0.2.7", "--token", "short"], "8 characters or more"),
    ],
)
def test_others_are_not_let_in_without_a_secret(
    worm: Path, served: list[int], opened: list[str], words: list[str], why: str
) -> None:
    done = annotate(str(worm), *words)
    assert isinstance(done.exception, ConfigError)
    assert why in str(done.exception)
    assert (served, opened, done.stdout) == ([], [], "")


def test_a_volume_that_the_run_lacks_is_refused(worm: Path, served: list[int], opened: list[str]) -> None:
    done = annotate(str(worm), "--volume", "9")
    assert isinstance(done.exception, DataError)
    assert "has no volume 9; its 4 volumes are 0 to 3" in str(done.exception)
    assert (served, opened, done.stdout) == ([], [], "")


def test_the_size_of_crops_is_said_before_they_are_kept(
    worm: Path, served: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "worm"
    shutil.copytree(worm, folder)
    monkeypatch.setattr("cender.web.frames.keep_crops", stop_here)
    stopped = annotate(str(folder), "--crops", "--no-browser")
    assert isinstance(stopped.exception, InterruptedError)
    said = re.search(r"head crops of (\d+) volumes take at most (\d+) MB in", " ".join(stopped.stderr.split()))
    assert said is not None, stopped.stderr
    assert served == []
    monkeypatch.undo()
    monkeypatch.setattr(uvicorn.Server, "run", lambda server, sockets: None)
    assert annotate(str(folder), "--crops", "--no-browser").exit_code == 0
    kept = sum(path.stat().st_size for path in (folder / "crops.zarr").rglob("*") if path.is_file())
    assert 0 < kept <= (int(said[2]) + 0.5) * 1e6


def test_crops_need_the_recording(worm: Path, served: list[int], tmp_path: Path) -> None:
    folder = tmp_path / "worm"
    shutil.copytree(worm, folder)
    settings = (folder / "run.toml").read_text(encoding="utf-8")
    (folder / "run.toml").write_text(settings.replace("recording.npz", "gone.npz"), encoding="utf-8")
    done = annotate(str(folder), "--crops", "--no-browser")
    assert isinstance(done.exception, DataError)
    assert "--crops needs the recording" in str(done.exception)
    assert served == []


def stop_here(*_: Any) -> None:
    raise InterruptedError
