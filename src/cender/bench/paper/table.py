"""A table of the paper with ours under its rows, and words that several of them share."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cender.io.measured import Measured

Cell = str | float | int | None
Row = tuple[Cell, ...]
Found = Mapping[str, Measured]
IMPORT = "truth folders C1, C2 and C3 of the authors' data (OSF v2b5n)"
METHODS = (("paper", "cender, the paper's method"), ("default", "cender, ours"))


@dataclass(frozen=True, slots=True)
class Table:
    """A table of figures: percent, unless its column says otherwise; None where a figure does not exist."""

    number: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""

    @property
    def heading(self) -> str:
        """Title with its number in the paper, or with the name of a table that is not in it."""
        published = self.number[-1].isdigit() and " " not in self.number
        return f"{'Table ' if published else ''}{self.number}: {self.title}"

    def as_json(self) -> dict[str, Any]:
        """Number, title, columns, rows and note."""
        return asdict(self)


def get_figures(found: Found, key: str) -> dict[str, Any]:
    """What was measured for a row; empty where nothing was."""
    return found[key].figures if key in found else {}


def to_percent(share: float | None) -> float | None:
    """A share as percent with two decimals."""
    return None if share is None else round(100 * share, 2)
