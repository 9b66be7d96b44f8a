"""A table of the paper with ours under its rows, and words that several of them share."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cender.bench.paper.items import REFUSED
from cender.io.measured import Measured

Cell = str | float | int | None
Row = tuple[Cell, ...]
Found = Mapping[str, Measured]
IMPORT = "truth folders C1, C2 and C3 of the authors' data (OSF v2b5n)"
LONGEST_CELL = 45
"""Letters of a text that has room in a cell; a longer one becomes a note below the table."""
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

    def as_text(self) -> tuple[list[list[str]], list[str]]:
        """Cells as text, and notes for what is too long for a cell: what rows need, and commands that fill them."""
        notes: list[str] = []

        def show(cell: Cell) -> str:
            text = show_cell(cell)
            need = text.startswith("needs ")
            if not need and len(text) <= LONGEST_CELL:
                return text
            head, _, rest = text.partition(" " if need else "; ")
            note = rest or text
            if note not in notes:
                notes.append(note)
            return f"{head if rest else ''} ({notes.index(note) + 1})".lstrip()

        return [[show(cell) for cell in row] for row in self.rows], notes

    def as_json(self) -> dict[str, Any]:
        """Number, title, columns, rows and note."""
        return asdict(self)


def show_cell(cell: Cell) -> str:
    """A cell as text."""
    if cell is None:
        return "–"
    return cell if isinstance(cell, str) else f"{cell:g}"


def get_figures(found: Found, key: str) -> dict[str, Any]:
    """What was measured for a row; empty where nothing was, or where its data was refused."""
    figures = found[key].figures if key in found else {}
    return {} if REFUSED in figures else figures


def say_duration(seconds: float) -> str:
    """Minutes, or seconds where they are fewer than six."""
    return f"{seconds / 60:.1f} min" if seconds >= 6 else f"{seconds:.1f} s"


def to_percent(share: float | None) -> float | None:
    """A share as percent with two decimals."""
    return None if share is None else round(100 * share, 2)
