"""CeNDeR's layout of MATLAB files, whatever the version of the file."""

from collections.abc import Mapping
from math import prod
from pathlib import Path

from cender.errors import UnreadableRecording
from cender.io.recordings.arrange.axes import format_shape

_NAMES = ("img", "image")


def choose_variable(path: Path, listing: Mapping[str, str], wanted: str | None) -> str:
    """The variable that holds the recording: the one named, else the only one called img… or image…."""
    words = "; ".join(f"{name} ({what})" for name, what in listing.items()) or "no variable"
    if wanted is not None:
        if wanted not in listing:
            raise UnreadableRecording(f"{path} has no variable {wanted!r} (recording.dataset); it has: {words}")
        return wanted
    found = [name for name in listing if name.lower().startswith(_NAMES)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnreadableRecording(
            f"{path} has several variables that may be the recording: {words}; choose with --set recording.dataset=NAME"
        )
    raise UnreadableRecording(
        f"{path} has no variable whose name begins with img or image; it has: {words}. "
        "If one of them is the recording, name it with --set recording.dataset=NAME"
    )


def count_volumes(path: Path, name: str, shape: tuple[int, ...]) -> int:
    """Number of cells of a column (or row); more than one column is refused."""
    count = prod(shape)
    if count == 0 or max(shape) != count:
        raise UnreadableRecording(
            f"{path}: {name} is a cell array of {format_shape(shape)}; expected one column with one cell per volume"
        )
    return count


def pad_shape(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """``H×W×Z`` with the ones that MATLAB drops at the end."""
    height, width, *depth = shape
    return height, width, prod(depth)


def order_volume(shape: tuple[int, int, int]) -> tuple[int, int, int]:
    """``H×W×Z`` as ``z y x``."""
    height, width, depth = shape
    return depth, height, width
