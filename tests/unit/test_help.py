"""The command line answers at once: help and ``import cender`` load nothing heavy."""

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import cender
from cender.cli.app import app, main

HEAVY = {
    *("torch", "openvino", "safetensors"),
    *("numpy", "scipy", "cv2", "matplotlib", "pandas", "polars", "pyarrow"),
    *("h5py", "zarr", "tifffile", "imagecodecs", "nd2", "pynwb"),
    *("pydantic", "jaxtyping", "distributed", "fastapi", "uvicorn"),
}
Call = Callable[..., tuple[int, str, str]]
HELP_OF_EVERY_COMMAND = """
import sys
from cender.cli import main

for words in {words!r}:
    sys.argv = ["cender", *words, "--help"]
    try:
        main()
    except SystemExit as stop:
        assert not stop.code, (words, stop.code)
"""


def walk_commands(command: Any, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The words of every command and subcommand, those of the command line itself first."""
    found = [words]
    for name, inner in getattr(command, "commands", {}).items():
        found += walk_commands(inner, (*words, name))
    return found


COMMANDS = walk_commands(typer.main.get_command(app))


def find_heavy(code: str) -> set[str]:
    """Run code in a fresh Python and return the heavy libraries that it loaded."""
    words = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules, file=sys.stderr)"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in done.stderr.split()} & HEAVY


def test_heavy_import_would_be_seen() -> None:
    assert "numpy" in find_heavy("import cender.types")


def test_import_is_light() -> None:
    assert find_heavy("import cender") == set()


def test_help_is_light() -> None:
    assert find_heavy(HELP_OF_EVERY_COMMAND.format(words=[()])) == set()


def test_help_of_every_command_is_light() -> None:
    assert len(COMMANDS) > 1
    typers_own = {"pydantic"}  # it checks the words on the command line with it
    assert find_heavy(HELP_OF_EVERY_COMMAND.format(words=COMMANDS)) <= typers_own


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_explains(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, [*words, "--help"])
    assert result.exit_code == 0
    assert "Usage: " in result.output
    assert result.output != CliRunner().invoke(app, ["--help"]).output or not words
    typed = re.search(r"<(bool|int|float|str|path|list)\b", result.output, re.IGNORECASE)
    assert not typed, "what people type has a word, not a type of Python"
    named = re.findall(r"[{[](\S+?)[}\]]", result.output.partition("Usage: ")[2].partition("\n")[0])
    assert all(re.fullmatch("[A-Z]+", name) for name in named), "what is given is written alike everywhere"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_everything_has_a_help_text(words: tuple[str, ...]) -> None:
    command = typer.main.get_command(app)
    for word in words:
        command = command.commands[word]
    assert command.help, f"`cender {' '.join(words)}` does not say what it does"
    options = [option for option in command.params if option.param_type_name == "option" and not option.hidden]
    assert [option.name for option in options if not option.help] == []


MISTAKES = [
    (["nonsense"], "No such command 'nonsense'"),
    (["config", "--nonsense"], "No such option: --nonsense"),
    (["info"], "Missing argument 'RECORDING"),
    (["config", "--set", "recording.rate=5"], "did you mean 'recording.rate_hz'?"),
]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command line's own entry: exit status, standard output and standard error."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["cender", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        shown = capsys.readouterr()
        return int(stop.value.code or 0), shown.out, shown.err

    return call


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_mistake_is_one_line_and_status_2(words: list[str], message: str, call: Call) -> None:
    status, out, err = call(*words)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_the_status_is_that_of_the_process() -> None:
    done = subprocess.run([sys.executable, "-m", "cender", "nonsense"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")


def test_defect_is_status_1_and_says_how_to_report_it(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cender.config.load_config", None)
    status, _, err = call("config")
    assert status == 1
    assert "Traceback" not in err
    assert "--debug" in err
    assert "Traceback" in call("config", "--debug")[2]


@pytest.mark.parametrize("name", cender.__all__)
def test_public_name_resolves(name: str) -> None:
    assert getattr(cender, name) is not None
    assert name in dir(cender)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'utils'"):
        _ = cender.utils
