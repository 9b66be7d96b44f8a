"""The documentation tells the truth: snippets run, links lead somewhere, commands and settings exist."""

import re
import runpy
import shlex
import shutil
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from cases.haste import learn_briefly, leave_out_figures
from cender.cli.app import app

REPOSITORY = Path(__file__).parents[2]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
FENCE = re.compile(r"^\s*(```+)\s*(\w*)")
NOT_RUN = re.compile(r"^\s*<!-- not run: (.+) -->$")
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
# A page simulates what a reader would look at; here a corner of it is enough.
SMALLER = {"simulate": ["--volumes", "2", "--set", "simulate.shape=[8, 160, 160]"]}


@dataclass(frozen=True, slots=True)
class Snippet:
    """A fenced block of a page: where it starts, and why it is not run if it is not."""

    page: Path
    line: int
    language: str
    text: str
    not_run: str | None

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def read_snippets(page: Path) -> Iterator[Snippet]:
    """The fenced blocks of a page, in order."""
    fence, language, start, block, above = "", "", 0, [], ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        match = FENCE.match(line)
        if not fence and match:
            fence, language, start, block = match[1], match[2], number, []
        elif fence and line.strip() == fence:
            reason = NOT_RUN.match(above)
            yield Snippet(page, start, language, textwrap.dedent("\n".join(block)), reason and reason[1])
            fence = ""
        elif fence:
            block.append(line)
        if not fence and line.strip():
            above = line
    assert not fence, f"{page}:{start}: this block is not closed"


def strip_snippets(page: Path) -> str:
    """A page's prose."""
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^\s*(```+).*?^\s*\1\s*$", "", text, flags=re.MULTILINE | re.DOTALL)


def read_commands(snippet: Snippet) -> list[list[str]]:
    """The commands of a shell snippet, in words; after ``$`` where it shows a session."""
    lines = re.sub(r"\\\n\s*", "", snippet.text).splitlines()
    if snippet.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def run_command(words: list[str], folder: Path) -> None:
    """Run one ``cender`` command in this process and in its working folder, with its output in a file after ``>``."""
    assert words[0] == "cender", f"only cender commands can be run, not {words[0]!r}; say why with <!-- not run: … -->"
    target = folder / words[-1] if words[-2:-1] == [">"] else None
    given = words[1:-2] if target else words[1:]
    done = CliRunner().invoke(app, [*given, *SMALLER.get(given[0], [])], catch_exceptions=False)
    assert done.exit_code == 0, f"{shlex.join(words)}\n{done.stdout}\n{done.stderr}"
    if target:
        target.write_text(done.stdout, encoding="utf-8")


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the recording that the pages speak of, and its truth."""
    folder = tmp_path_factory.mktemp("examples")
    run_command(["cender", "simulate", str(folder / "worm")], folder)
    shutil.copy(next((folder / "worm").glob("recording*.tif")), folder / "worm.tif")
    return folder


# The walk is executed with its mistakes and its Ctrl-C by tests/integration/test_walk.py.
RUN_HERE = [page for page in PAGES if any(read_snippets(page)) and page.stem != "walk"]


@pytest.mark.parametrize("page", RUN_HERE, ids=lambda page: page.stem)
def test_snippets_run(page: Path, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(examples, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    learn_briefly(monkeypatch)
    leave_out_figures(monkeypatch)
    names: Mapping[str, Any] = {}
    for snippet in read_snippets(page):
        if snippet.not_run is not None:
            continue
        if snippet.language in {"bash", "console", "sh", "shell"}:
            for words in read_commands(snippet):
                run_command(words, tmp_path)
        elif snippet.language == "python":
            file = tmp_path / f"line_{snippet.line}_of_{page.stem}.py"
            file.write_text(snippet.text, encoding="utf-8")
            after = runpy.run_path(str(file), init_globals=dict(names))
            names = {name: value for name, value in after.items() if not name.startswith("__")}
        elif snippet.language == "toml":
            check_settings(tomllib.loads(snippet.text), str(snippet))
        else:
            assert snippet.language in {"", "text", "csv", "json"}, f"{snippet}: nothing runs {snippet.language!r}"


def test_few_snippets_are_not_run() -> None:
    skipped = [snippet for page in PAGES for snippet in read_snippets(page) if snippet.not_run is not None]
    assert len(skipped) <= 14, [str(snippet) for snippet in skipped]


def test_readme_quickstart_has_five_lines_that_run() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    start = text[: text.index("## Quickstart")].count("\n") + 1
    first = next(snippet for snippet in read_snippets(REPOSITORY / "README.md") if snippet.line > start)
    assert first.not_run is None
    assert [words[0] for words in read_commands(first)] == ["cender"] * 5


@pytest.mark.parametrize("page", [*PAGES, *REPOSITORY.glob("C*.md")], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(strip_snippets(page)):
        if re.match(r"https?://|mailto:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{page.name} links to {link}, which does not exist"
        if anchor:
            assert anchor in list_anchors(target), f"{page.name} links to {link}, but that page has no such heading"


def list_anchors(page: Path) -> set[str]:
    """The anchors that headings get."""
    headings = re.findall(r"^#+\s+(.+?)\s*$", strip_snippets(page), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings]
    return {re.sub(r"[-\s]+", "-", heading) for heading in plain}


def list_settings(model: Any = None, prefix: str = "") -> Iterator[str]:
    """Every key of the configuration, sections too."""
    from cender.config import Config

    for name, field in (model or Config).model_fields.items():
        yield prefix + name
        if hasattr(field.annotation, "model_fields"):
            yield from list_settings(field.annotation, f"{prefix}{name}.")


def check_settings(values: Mapping[str, Any], where: str) -> None:
    """Refuse settings that do not exist; a folder's own file (it has a format) is not a file of settings."""
    from cender.config import build_config

    if "format" not in values:
        assert build_config(values), where


def find_named_settings(page: Path) -> set[str]:
    """Settings that a page names: after ``--set``, or as a code span of their own."""
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"--set\s+([a-z_]+\.[a-z_.]+)=", text))
    sections = "|".join(name for name in list_settings() if "." not in name)
    for span in CODE_SPAN.findall(strip_snippets(page)):
        match = re.fullmatch(rf"((?:{sections})\.[a-z_]+(?:\.[a-z_]+)*)(?:\s*=.*)?", span)
        # run.toml is a file, though it looks like a setting of the section run.
        if match and match[1] != "run.toml":
            named.add(match[1])
    return named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_settings_exist(page: Path) -> None:
    assert find_named_settings(page) - set(list_settings()) == set()


def list_commands() -> dict[str, Any]:
    """The commands of the command line by name."""
    return dict(typer.main.get_command(app).commands)


def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """A command, or the commands of a group, with their words."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
    for word, part in (inner or {}).items():
        yield from walk(f"{name} {word}", part)


def find_named_commands(page: Path) -> set[str]:
    """Commands that a page names, in code spans and in shell snippets."""
    spans = [span.split() for span in CODE_SPAN.findall(strip_snippets(page))]
    shell = [words for snippet in read_snippets(page) for words in read_shell(snippet)]
    return {words[1] for words in [*spans, *shell] if words[:1] == ["cender"] and is_word(words[1:2])}


def read_shell(snippet: Snippet) -> list[list[str]]:
    return read_commands(snippet) if snippet.language in {"bash", "console"} else []


def is_word(words: Iterable[str]) -> bool:
    return any(re.fullmatch(r"[a-z]+", word) for word in words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_commands_exist(page: Path) -> None:
    assert find_named_commands(page) - set(list_commands()) == set()


def test_reference_is_complete() -> None:
    text = (REPOSITORY / "docs/reference.md").read_text(encoding="utf-8")
    assert set(list_commands()) <= find_named_commands(REPOSITORY / "docs/reference.md")
    inner = [(word, part) for name, top in list_commands().items() for word, part in walk(name, top)]
    for name, command in inner:
        assert f"`cender {name}" in text
        options = [option.opts[0] for option in command.params if option.param_type_name == "option"]
        assert [option for option in options if f"`{option}" not in text and option != "--help"] == [], name
    wanted = {name for name in list_settings() if name.count(".") == 1}
    assert wanted - find_named_settings(REPOSITORY / "docs/reference.md") == set()


def test_what_is_wrong_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Two words: `a`\n`recording.nonsense` and `cender nonsense`\n\n<!-- not run: a reason -->\n"
        "```console\n$ cender other --set simulate.nonsense=1 \\\n  --json\nits output\n```\n"
        "```python\n1 / 0\n```\n",
        encoding="utf-8",
    )
    first, second = read_snippets(page)
    assert (first.not_run, first.line, second.not_run) == ("a reason", 5, None)
    assert read_commands(first) == [["cender", "other", "--set", "simulate.nonsense=1", "--json"]]
    assert find_named_settings(page) == {"recording.nonsense", "simulate.nonsense"}
    assert find_named_commands(page) == {"nonsense", "other"}
    assert list_anchors(page) == {"two-words-a"}
    with pytest.raises(AssertionError, match="only cender commands"):
        run_command(["rm", "-r", "worm"], tmp_path)


def test_every_extra_is_in_the_readme() -> None:
    extras = set(tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
    words = set(CODE_SPAN.findall((REPOSITORY / "README.md").read_text("utf-8")))
    assert extras - {"all", "dev"} <= words
