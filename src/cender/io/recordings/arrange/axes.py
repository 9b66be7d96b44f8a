"""Which dimension of a file is which: what the file says, what the user says, and the best guess."""

from cender.errors import ConfigError, UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.formats.store import Store

UNKNOWN = "?"
UNUSED = "_"
# Above this many images, an undescribed stack of images is taken for a movie and not for one z-stack.
_DEEPEST_STACK = 300
_MOST_CHANNELS = 4


def settle_axes(store: Store, params: RecordingParams, source: str) -> tuple[str, bool, tuple[str, ...]]:
    """The letter of every dimension, whether any of them is a guess, and warnings.

    ``_`` stands for a dimension of length 1 that a stream of frames makes superfluous.
    """
    axes = store.axes
    warnings: tuple[str, ...] = ()
    if params.axes is not None:
        if len(params.axes) != len(store.shape):
            raise ConfigError(
                f"recording.axes={params.axes} has {len(params.axes)} letters, but {source} has "
                f"{len(store.shape)} "
                f"dimensions: {format_shape(store.shape)}"
            )
        if UNKNOWN not in axes and params.axes != axes:
            warnings = (f"the file says its axes are {axes}; recording.axes={params.axes} is used instead",)
        axes = params.axes
    if axes.count("N") and set(axes) & {"T", "Z"}:
        raise ConfigError(f"recording.axes={axes}: N (camera frames in one stream) stands for both T and Z")
    if params.frames_per_volume is not None and "N" not in axes:
        axes = _find_stream(axes, store.shape, params.frames_per_volume, source)
    if UNKNOWN not in axes:
        return axes, False, warnings
    return guess_axes(axes, store.shape, source), True, warnings


def guess_axes(axes: str, shape: tuple[int, ...], source: str) -> str:
    """Put the likeliest letters for the ``?`` of some axes."""
    holes = [position for position, letter in enumerate(axes) if letter == UNKNOWN]
    left = [letter for letter in "TCZ" if letter not in axes]
    if len(holes) > len(left):
        raise UnreadableRecording(
            f"{source} has {len(shape)} dimensions ({format_shape(shape)}); expected at most five: T, C, Z, Y, X"
        )
    letters = _guess_letters("".join(left), [shape[position] for position in holes])
    found = list(axes)
    for position, letter in zip(holes, letters, strict=True):
        found[position] = letter
    return "".join(found)


def _guess_letters(left: str, sizes: list[int]) -> str:
    if len(sizes) == 1:
        if left == "TCZ":
            return "Z" if sizes[0] <= _DEEPEST_STACK else "T"
        return next(letter for letter in "ZTC" if letter in left)
    if len(sizes) == 3:
        return "TZC" if sizes[2] < sizes[1] and sizes[2] <= _MOST_CHANNELS else "TCZ"
    if "C" not in left:
        return left
    first, second = sizes
    if second <= _MOST_CHANNELS < first:
        return "ZC" if "Z" in left else "TC"
    if "T" in left and not (first <= _MOST_CHANNELS < second):
        return "TZ" if "Z" in left else "TC"
    return "CZ" if "Z" in left else "CT"


def _find_stream(axes: str, shape: tuple[int, ...], frames: int, source: str) -> str:
    long = [position for position, letter in enumerate(axes[:-2]) if letter != "C" and shape[position] > 1]
    if len(long) > 1:
        if "Z" in axes and shape[axes.index("Z")] == frames:
            return axes
        raise ConfigError(
            f"recording.frames_per_volume={frames} divides a stream of camera frames, but {source} has axes "
            f"{axes} "
            f"({format_shape(shape)}); leave it out, or give recording.axes with the letter N"
        )
    stream = long[0] if long else next((p for p, letter in enumerate(axes[:-2]) if letter != "C"), None)
    return "".join(
        letter if letter == "C" or position >= len(axes) - 2 else "N" if position == stream else UNUSED
        for position, letter in enumerate(axes)
    )


def format_shape(shape: tuple[int, ...]) -> str:
    """``300 x 2 x 18 x 512 x 512``, with the multiplication sign."""
    return " × ".join(str(size) for size in shape)
