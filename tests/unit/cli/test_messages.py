"""What the command line says, and how it ends."""

import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cender.cli.app import app, main
from cender.cli.console import STDERR
from cender.cli.run import list_kept
from cender.config import load_config
from cender.errors import ConfigError, UnreadableRecording
from cender.io import RecordingParams, load_human, open_recording, save_human
from cender.pipeline.plan.estimate import Cost
from cender.types import Annotation, Regions

IMPORTS_OF_A_REFUSED_RUN = """
import sys
from cender.cli import main
sys.argv = ["cender", "run", {path!r}, "--out", {out!r}]
try:
    main()
except SystemExit as stop:
    print(stop.code, *sys.modules)
"""


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["cender", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


@pytest.fixture
def movie(tmp_path: Path) -> Path:
    data = np.random.default_rng(0).integers(0, 99, (3, 2, 4, 60, 50), dtype=np.uint16)
    np.save(tmp_path / "worm.npy", data)
    return tmp_path / "worm.npy"


@pytest.mark.parametrize("words", [(), ("--debug",), ("--quiet",), ("-q",), ("--verbose",), ("-v",)])
def test_the_exit_status_is_the_same_whatever_is_shown(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "info", "nowhere.tif", *words) == 2
    said = capsys.readouterr().err
    assert "no such file" in said
    assert ("Traceback" in said) == ("--debug" in words)


def test_quiet_says_only_results(
    movie: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, said in (((), True), (("--quiet",), False), (("-q",), False)):
        assert run(monkeypatch, "info", str(movie), "--picture", str(movie.with_suffix(".png")), *words) == 0
        assert ("picture:" in capsys.readouterr().err) == said
    STDERR.quiet = False


def test_a_warning_is_its_words_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    assert run(monkeypatch, "info", "nowhere.tif") == 2
    capsys.readouterr()
    logging.getLogger("cender.io").warning("the last volume is cut off")
    assert capsys.readouterr().err == "the last volume is cut off\n", "no name of a logger, no level"


@pytest.mark.parametrize("told", ["0.3", "1.5,0.3", "[1.5, 0.3]"])
def test_one_number_for_a_voxel(told: str) -> None:
    with pytest.raises(ConfigError, match="three sides in micrometres, z first"):
        load_config(None, [f"recording.voxel_um={told}"])


def test_a_missing_setting_is_reported_before_anything_heavy_is_loaded(movie: Path, tmp_path: Path) -> None:
    code = IMPORTS_OF_A_REFUSED_RUN.format(path=str(movie), out=str(tmp_path / "run"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "recording.voxel_um=Z,Y,X" in done.stderr.replace("\n", "")
    status, *modules = done.stdout.split()
    assert status == "2"
    assert not {"torch", "openvino", "matplotlib"} & set(modules)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("free_mb", "said"), [(1.0, True), (500.0, False)])
def test_a_plan_that_does_not_fit_the_disk_says_so(
    movie: Path, monkeypatch: pytest.MonkeyPatch, free_mb: float, said: bool
) -> None:
    cost = Cost(seconds=1.0, volumes_per_s=3.0, memory_mb=700.0, disk_mb=3.0, free_mb=free_mb, measured=3)
    monkeypatch.setattr("cender.pipeline.plan.estimate.estimate_run", lambda *words: cost)
    facts = ("axes=TCZYX", "voxel_um=1.5,0.3,0.3", "roles=red,green")
    sets = [word for fact in facts for word in ("--set", f"recording.{fact}")]
    done = CliRunner().invoke(app, ["run", str(movie), "--out", str(movie.with_name("run")), "--dry-run", *sets])
    assert ("too little room: about 3 MB will be written, but 1 MB are free" in done.output) == said
    assert f"disk about 3 MB of {free_mb:.0f} MB free" in done.output


def test_settings_that_stick_are_named() -> None:
    words = ["run.volumes='0:3'", "recognize.paper.k=7", "recording.rate_hz=5"]
    base = load_config(None, words).model_dump(mode="json", exclude_none=True)
    assert list_kept(base, load_config(None, [], base)) == ["run.volumes=0:3", "recognize.paper.k=7"]
    now = load_config(None, ["recognize.paper.k=9", "detect.region_score=0.5"], base)
    assert list_kept(base, now) == ["run.volumes=0:3"]
    usual = load_config()
    assert list_kept(usual.model_dump(mode="json", exclude_none=True), usual) == []


def test_human_work_in_a_folder_given_as_text(tmp_path: Path) -> None:
    one = Annotation(0, np.array([[1.0, 2.0, 3.0]]), np.array([7]), np.ones(1), Regions.empty())
    save_human(str(tmp_path), one)
    assert load_human(str(tmp_path))[0].identity.tolist() == [7]


def test_a_truncated_tiff_says_so(tmp_path: Path) -> None:
    import tifffile

    tifffile.imwrite(tmp_path / "a.tif", np.zeros((40, 60, 50), np.uint16), photometric="minisblack")
    whole = (tmp_path / "a.tif").read_bytes()
    (tmp_path / "a.tif").write_bytes(whole[: len(whole) // 2])
    try:
        said = " ".join(open_recording(tmp_path / "a.tif", RecordingParams(axes="TYX")).warnings)
    except UnreadableRecording as error:
        said = str(error)
    assert "truncated" in said


def test_workers_are_a_number_or_the_address_of_a_scheduler() -> None:
    from cender.cli.run import read_workers
    from cender.errors import ConfigError

    assert read_workers("3") == (3, None)
    assert read_workers("tcp://10.0.0.1:8786") == (0, "tcp://10.0.0.1:8786")
    assert read_workers("2", "tcp://10.0.0.1:8786") == (2, "tcp://10.0.0.1:8786")
    with pytest.raises(ConfigError, match="found many"):
        read_workers("many")
