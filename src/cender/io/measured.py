"""Measured figures, one JSON object per line of a file: a benchmark that is killed loses one of them at most."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cender.errors import DataError
from cender.io.atomic import explain_failure


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure, or several of one measurement, with all that they depend on and where they were made.

    ``inputs`` decides whether it may be used again: equal inputs, equal figures. ``provenance`` (machine, version,
    date, seconds) is for the reader.
    """

    key: str
    figures: dict[str, Any]
    inputs: dict[str, Any]
    provenance: dict[str, Any]


def load_measured(path: Path) -> dict[str, Measured]:
    """The figures of a file by key, of each key the last; a last line that was cut off is left out."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    found: dict[str, Measured] = {}
    for number, line in enumerate(lines, 1):
        try:
            one = Measured(**json.loads(line))
        except (ValueError, TypeError) as error:
            if number == len(lines):
                break
            raise DataError(
                f"{path}, line {number}: expected one measured row as JSON, found {line[:40]!r} ({error}); "
                "remove that line, or name another file"
            ) from None
        found[one.key] = one
    return found


def add_measured(path: Path, one: Measured) -> None:
    """Put a figure at the end of the file, which is made where it does not exist."""
    words = {"key": one.key, "figures": one.figures, "inputs": one.inputs, "provenance": one.provenance}
    line = json.dumps(words, sort_keys=True, ensure_ascii=False)
    with explain_failure(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        torn = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as file:
            file.write(("\n" if torn else "") + line + "\n")
