"""Numbers in the names of files and datasets: which axes they count."""

import re
from collections.abc import Iterable

import numpy as np

from cender.errors import UnreadableRecording
from cender.io.recordings.arrange.axes import UNKNOWN

_WORDS = {"T": "t|time|vol|volume", "C": "c|ch|channel|w", "Z": "z|slice|plane"}
"""Letters and words that stand before a number in file names, by axis."""
Place = tuple[int, ...]


def read_numbers(names: list[str]) -> tuple[str, list[Place] | None]:
    """Axes that the names number with a word, and the place of each; no axes where no word stands in all of them.

    ``t0001_c0_z03`` and ``T00001C01Z001`` number T, C and Z.
    """
    found = [{axis: _number_after(words, name) for axis, words in _WORDS.items()} for name in names]
    axes = "".join(axis for axis in "TCZ" if all(numbers[axis] is not None for numbers in found))
    if not axes:
        return "", None
    return axes, [tuple(int(numbers[axis] or 0) for axis in axes) for numbers in found]


def _number_after(words: str, name: str) -> int | None:
    # A word stands alone, or behind the number of another one: T00001C01Z001.
    match = re.search(rf"(?:(?<![A-Za-z])|(?<=\d))(?:{words})[-_ =]?(\d+)(?![a-z\d])", name, re.IGNORECASE)
    if match is None:
        match = re.search(rf"(?<![A-Za-z])(?:{words})[-_ =]?(\d+)(?=(?:t|c|z|ch|w)\d)", name, re.IGNORECASE)
    return int(match.group(1)) if match else None


def fill_grid(where: str, places: dict[Place, str], axes: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Names in the order of their numbers; a gap is an error, an unfinished last volume is left out."""
    ranges = [_span(place[axis] for place in places) for axis in range(len(axes))]
    shape = tuple(len(span) for span in ranges)
    if np.prod(shape, dtype=float) > max(10_000, 1000 * len(places)):
        raise UnreadableRecording(f"{where}: its {len(places)} names are numbered with large gaps, up to {max(places)}")
    grid = np.empty(shape, object)
    for place, name in places.items():
        grid[tuple(number - span.start for number, span in zip(place, ranges, strict=True))] = name
    holes = np.argwhere(grid == np.array(None))
    warnings: tuple[str, ...] = ()
    if len(holes) and len(axes) > 1 and axes[0] == "T" and (holes[:, 0] == shape[0] - 1).all() and shape[0] > 1:
        grid = grid[:-1]
        warnings = (f"the last volume is unfinished ({len(holes)} of its files are missing) and is left out",)
        holes = holes[:0]
    if len(holes):
        words = {"T": "t", "C": "c", "Z": "z", UNKNOWN: "number "}
        first = [span.start + int(number) for span, number in zip(ranges, holes[0], strict=True)]
        what = ", ".join(f"{words[axis]}{number}" for axis, number in zip(axes, first, strict=True))
        others = f" and {len(holes) - 1} more" if len(holes) > 1 else ""
        raise UnreadableRecording(
            f"{where}: the file of {what} is missing{others}; the names must be numbered without gaps"
        )
    return grid, warnings


def _span(numbers: Iterable[int]) -> range:
    listed = list(numbers)
    return range(min(listed), max(listed) + 1)
