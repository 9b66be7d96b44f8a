"""Text tables that end in the middle of a line: a copy that was cut off, of which nothing may be taken."""

import csv
import os
from pathlib import Path

from cender.errors import DataError

# The longest line that is looked at, in bytes.
_TAIL = 2**16


def refuse_cut_off(path: Path, separator: str = ",") -> None:
    """Raise `DataError` where the last line has no end and fewer fields than the line of column names.

    A last line that is whole but for its end is what many editors write, and is taken.
    """
    with path.open("rb") as file:
        head = file.readline(_TAIL)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(len(head), size - _TAIL))
        tail = file.read()
    last = tail.rsplit(b"\n", 1)[-1]
    if not last.strip():
        return
    names, fields = (len(_split(line, separator)) for line in (head, last))
    if fields < names:
        raise DataError(
            f"{path} is cut off: its last line ends after {fields} of {names} fields; copy it again, or complete that "
            "line or remove it"
        )


def _split(line: bytes, separator: str) -> list[str]:
    # Only fields are counted, so any encoding that keeps commas and quotation marks does.
    return next(csv.reader([line.decode("latin-1")], delimiter=separator), [])
