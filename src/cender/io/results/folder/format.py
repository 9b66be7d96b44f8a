"""The TOML file at the root of a folder, and the format number in it."""

import tomllib
from pathlib import Path
from typing import Any

from cender.errors import DataError, UnsupportedFormat

FORMAT = 1
"""Format of run folders and truth folders."""


def load_root(path: Path, kind: str) -> dict[str, Any]:
    """Values of ``run.toml`` or ``truth.toml`` of any format; ``kind`` names the folder in messages."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(_describe_stranger(path, kind)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not valid TOML: {error}") from None
    found = values.get("format")
    if not isinstance(found, int) or isinstance(found, bool):
        shown = "no such line" if found is None else repr(found)
        raise DataError(f"{path}: expected a line like format = {FORMAT}, found {shown}")
    return values


def refuse_newer(found: int, path: Path, kind: str) -> None:
    """Raise where a folder was written by a later version of cender."""
    if found > FORMAT:
        raise UnsupportedFormat(
            f"{path.parent} is a {kind} folder of format {found}; this cender knows up to {FORMAT}: update it"
        )


def _describe_stranger(path: Path, kind: str) -> str:
    folder = path.parent
    if not folder.exists():
        return f"{folder}: there is no such {kind} folder"
    if not folder.is_dir():
        return f"{folder} is a file; a {kind} folder is a folder with {path.name} in it"
    others = {"run.toml": "a run folder", "truth.toml": "a truth folder"}
    for name, what in others.items():
        if name != path.name and (folder / name).is_file():
            return f"{folder} is {what} ({name}), not a {kind} folder ({path.name})"
    names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    found = "it is empty" if not names else f"found {', '.join(names[:6])}" + ", …" * (len(names) > 6)
    return f"{folder} is not a {kind} folder: expected {path.name} in it, {found}"
