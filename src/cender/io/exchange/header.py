"""The line of column names by which a table is known."""

from pathlib import Path

# The longest line of column names, in bytes.
_LONGEST = 2**16


def read_columns(path: Path, separator: str = ",") -> list[str]:
    """Names of the columns of a text table; none where there is no such file."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        line = file.readline(_LONGEST).decode("utf-8", "replace")
    return [word.strip().strip('"') for word in line.removeprefix("\ufeff").split(separator)]
