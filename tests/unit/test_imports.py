"""The floor plan: who may import whom, and in which room each heavy library stays."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import cender
import cender.types

SOURCE = Path(cender.__file__).parent
REPOSITORY = Path(__file__).parents[2]

STAGES = ("preprocess", "detect", "merge", "recognize", "activity")
# A room may import from every floor below its own, never from its own floor or above.
FLOORS = (
    ("errors",),
    ("types",),
    # Below io, whose log of edits applies them.
    ("annotate",),
    (*STAGES, "name", "nets", "io", "simulate", "evaluate", "plots"),
    ("training",),
    ("config",),
    ("pipeline", "report"),
    ("web",),
    ("bench",),
    ("cli",),
    ("__main__",),
)
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}

# Library: the rooms that may import it.
HOMES = {
    "torch": {"nets", "training"},
    "openvino": {"nets", "training"},
    "matplotlib": {"plots"},
    "mpl_toolkits": {"plots"},
    "sklearn": {"plots"},
    "fastapi": {"web"},
    "starlette": {"web"},
    "uvicorn": {"web"},
    "pynwb": {"io"},
    "hdmf": {"io"},
    "nd2": {"io"},
    "h5py": {"io"},
    "tifffile": {"io"},
    "zarr": {"io"},
    "dask": {"pipeline"},
    "distributed": {"pipeline"},
    "typer": {"cli"},
    "click": {"cli"},
    "rich": {"cli"},
}
# Libraries that a single file of their room knows.
ALONE = ("pynwb", "nd2", "dask", "distributed")
# What a cli file may import before its command runs, beside the standard library.
LIGHT = {"typer", "rich", "cender", "cender.errors"}
VAGUE = {"utils", "util", "helpers", "helper", "misc", "common", "core", "manager"}


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement: where it stands and the full name it brings in."""

    file: Path
    line: int
    room: str
    target: str
    at_once: bool

    @property
    def library(self) -> str:
        return self.target.split(".")[0]

    @property
    def target_room(self) -> str | None:
        """The room that an import of our own leads to; None for the bare package, which holds the version."""
        parts = self.target.split(".")
        return parts[1] if parts[0] == "cender" and len(parts) > 1 else None


class _Reader(ast.NodeVisitor):
    """Collects the imports of one file, also those in functions, by name and through ``cender.name``."""

    def __init__(self, file: Path, source: Path) -> None:
        self.file = file
        self.package = ("cender", *file.relative_to(source).parent.parts)
        self.room = Path(file.relative_to(source).parts[0]).stem
        self.source = source
        self.depth = 0
        self.found: list[Import] = []

    def _add(self, node: ast.AST, target: str) -> None:
        line = getattr(node, "lineno", 0)
        self.found.append(Import(self.file, line, self.room, target, self.depth == 0))

    def _add_public(self, node: ast.AST, name: str) -> None:
        """``cender.name``: a room, a public name (which lives in a room), or the package's own."""
        home = cender._HOMES.get(name, "").partition(":")[0]
        is_room = (self.source / name).is_dir() or (self.source / f"{name}.py").exists()
        self._add(node, home or (f"cender.{name}" if is_room else "cender"))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_If(self, node: ast.If) -> None:
        """What stands under ``TYPE_CHECKING`` is not loaded, but obeys the floor plan all the same."""
        only_types = getattr(node.test, "id", getattr(node.test, "attr", "")) == "TYPE_CHECKING"
        self.depth += only_types
        self.generic_visit(node)
        self.depth -= only_types

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = ".".join(self.package[: len(self.package) + 1 - node.level]) if node.level else ""
        module = ".".join(part for part in (base, node.module) if part)
        if module == "cender":
            for alias in node.names:
                self._add_public(node, alias.name)
        else:
            self._add(node, module)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id == "cender":
            self._add_public(node, node.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in {"import_module", "__import__"} and node.args and isinstance(node.args[0], ast.Constant):
            self._add(node, str(node.args[0].value))
        self.generic_visit(node)


def read_imports(source: Path) -> list[Import]:
    """Every import below a folder laid out like ``src/cender``; its ``__init__.py`` is no room."""
    found: list[Import] = []
    for file in sorted(source.rglob("*.py")):
        if file == source / "__init__.py":
            continue
        reader = _Reader(file, source)
        reader.visit(ast.parse(file.read_text(encoding="utf-8"), str(file)))
        found += reader.found
    return found


def find_wrong_ways(imports: list[Import]) -> Iterator[str]:
    """Imports that do not lead downstairs."""
    for item in imports:
        target = item.target_room
        if item.room not in FLOOR:
            yield f"{item.file}:{item.line}: the room {item.room!r} is not on the floor plan"
        elif target is None or target == item.room:
            continue
        elif target not in FLOOR:
            yield f"{item.file}:{item.line}: {item.target} is in no room of the floor plan"
        elif FLOOR[target] >= FLOOR[item.room]:
            yield f"{item.file}:{item.line}: {item.room} may not import {item.target}"
        elif item.room == "config" and target not in {"errors", "types"} and not item.target.endswith(".params"):
            yield f"{item.file}:{item.line}: config only collects Params, so not {item.target}"


def find_strayed_libraries(imports: list[Import]) -> Iterator[str]:
    """Heavy libraries outside their room, or in a second file of it."""
    for item in imports:
        if item.room not in HOMES.get(item.library, {item.room}):
            rooms = " and ".join(sorted(HOMES[item.library]))
            yield f"{item.file}:{item.line}: {item.library} stays in {rooms}"
    for library in ALONE:
        files = sorted({str(item.file) for item in imports if item.library == library})
        if len(files) > 1:
            yield f"{library} belongs in one file, and is in {' and '.join(files)}"


def find_early_loads(imports: list[Import]) -> Iterator[str]:
    """Imports at the top of a cli file that would slow ``cender --help`` down."""
    for item in imports:
        light = item.target in LIGHT or item.library in (sys.stdlib_module_names | LIGHT - {"cender"})
        if item.room == "cli" and item.at_once and not light and not item.target.startswith("cender.cli"):
            yield f"{item.file}:{item.line}: import {item.target} inside the command, not at the top"


CHECKS = (find_wrong_ways, find_strayed_libraries, find_early_loads)


@pytest.mark.parametrize("check", CHECKS)
def test_source_obeys(check) -> None:
    imports = read_imports(SOURCE)
    assert any(item.target_room == "types" for item in imports), "the walk finds imports at all"
    problems = list(check(imports))
    assert not problems, "\n".join(problems)


PLANTED = [
    (find_wrong_ways, "types/volume.py", "import cender.io"),
    (find_wrong_ways, "types/volume.py", "from ..io import tiff"),
    (find_wrong_ways, "io/recordings/tiff.py", "def load():\n    from cender.simulate import render"),
    (find_wrong_ways, "io/weights.py", "async def load():\n    from ..plots.frames import plot_frames"),
    (find_wrong_ways, "evaluate/match.py", "from cender import simulate_recording"),
    (find_wrong_ways, "evaluate/match.py", "import cender\ncender.open('worm.tif')"),
    (find_wrong_ways, "plots/frames.py", "from cender import config"),
    (find_wrong_ways, "detect/score.py", "import_module('cender.nets')"),
    (find_wrong_ways, "errors.py", "from cender.types import Volume"),
    (find_wrong_ways, "report/page.py", "from cender.pipeline import run"),
    (find_wrong_ways, "config.py", "from cender.io import open_recording"),
    (find_wrong_ways, "attic/box.py", "import numpy"),
    (find_wrong_ways, "bench/speed.py", "from cender.attic import box"),
    (find_wrong_ways, "types/volume.py", "if TYPE_CHECKING:\n    from cender.io import store"),
    (find_strayed_libraries, "detect/score.py", "import torch.nn as nn"),
    (find_strayed_libraries, "simulate/render.py", "def show():\n    from matplotlib import pyplot"),
    (find_strayed_libraries, "pipeline/progress.py", "from rich.progress import track"),
    (find_strayed_libraries, "simulate/store.py", "import h5py"),
    (find_early_loads, "cli/info.py", "import numpy as np"),
    (find_early_loads, "cli/info.py", "from cender.types import Recording"),
    (find_early_loads, "cli/info.py", "from cender import open"),
]


@pytest.mark.parametrize(("check", "path", "text"), PLANTED)
def test_planted_violation_is_found(check, path: str, text: str, tmp_path: Path) -> None:
    _plant(tmp_path, path, text)
    problems = list(check(read_imports(tmp_path)))
    assert len(problems) == 1
    file, line = problems[0].split(": ")[0].rsplit(":", 1)
    assert file == str(tmp_path / path)
    assert line == str(len(text.splitlines())), "the message leads to the line"


def test_undefined_names_are_found(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("def measure() -> float:\n    return undefined_here\n", encoding="utf-8")
    rules = Path(__file__).parents[2] / "pyproject.toml"
    words = ["-m", "ruff", "check", "--config", str(rules), "--output-format", "concise", str(tmp_path / "planted.py")]
    said = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert "F821" in said.stdout


ALLOWED = [
    (
        "io/recordings/tiff.py",
        "from cender import __version__\nfrom cender.types import Volume\nfrom .params import P\nimport h5py",
    ),
    ("config.py", "from cender.io.params import RecordingParams\nfrom cender.types import Params"),
    (
        "cli/info.py",
        "import typer\nfrom cender.cli.options import Sets\ndef info():\n    from cender import open",
    ),
    ("cli/info.py", "if TYPE_CHECKING:\n    from cender.types import Volume"),
    ("bench/speed.py", "from cender.pipeline import run\nimport cender\ncender.open('worm.tif')"),
    ("nets/scorer.py", "import torch\nfrom cender.types import Volume"),
]


@pytest.mark.parametrize(("path", "text"), ALLOWED)
def test_allowed_import_passes(path: str, text: str, tmp_path: Path) -> None:
    _plant(tmp_path, path, text)
    assert [problem for check in CHECKS for problem in check(read_imports(tmp_path))] == []


def test_library_of_one_file_is_not_in_two(tmp_path: Path) -> None:
    _plant(tmp_path, "io/nwb.py", "import pynwb")
    assert list(find_strayed_libraries(read_imports(tmp_path))) == []
    _plant(tmp_path, "io/nwb_traces.py", "import pynwb")
    assert len(list(find_strayed_libraries(read_imports(tmp_path)))) == 1


def test_no_room_has_a_vague_name() -> None:
    for folder in (SOURCE, REPOSITORY / "tests"):
        names = [path for path in folder.rglob("*") if path.stem.removeprefix("test_") in VAGUE]
        assert names == []


def _plant(source: Path, path: str, text: str) -> None:
    for room in ("io", "simulate", "evaluate", "plots", "types", "pipeline"):
        (source / room).mkdir(exist_ok=True)
    (source / "config.py").touch()
    (source / path).parent.mkdir(exist_ok=True)
    (source / path).write_text(text, encoding="utf-8")


def test_every_room_and_every_record_of_the_way_is_drawn() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.stem for path in SOURCE.iterdir() if path.is_dir() and not path.name.startswith("__")}
    assert {room for room in rooms if f"`{room}`" not in page} == set()
    drawing = page.partition("```text")[2].partition("```")[0]
    records = re.findall(r"^([A-Z]\w+)", drawing, flags=re.MULTILINE)
    assert len(records) > 6
    assert all(hasattr(cender.types, name) for name in records)
    assert all(stage in drawing for stage in STAGES)


def test_one_volumes_way_leads_through_files_that_exist() -> None:
    way = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8").partition("One volume's way")[2]
    named = re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py)?)`", way)
    assert len(named) > 12
    assert [name for name in named if not any((SOURCE / home / name).exists() for home in ("", "pipeline"))] == []
