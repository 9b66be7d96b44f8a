"""Which dimension of a file is which: what the file says, what the user says, and the best guess."""

from cender.errors import ConfigError, UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.formats.store import Store

UNKNOWN = "?"
"""Letter of an axis whose meaning is not known."""
UNUSED = "_"
"""Letter of an axis with a single step, which is left out."""
# Above this many images, an undescribed stack of images is taken for a movie and not for one z-stack.
_DEEPEST_STACK = 300
_MOST_CHANNELS = 4
"""An axis no longer than this may be that of channels."""
# A last dimension up to this long and a third of both before it is z: no camera image is so narrow.
_DEEPEST_LAST_Z = 64
_NARROWEST_IMAGE_PX = 48
"""Axes of an image are at least this long."""


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
    if len(shape) > 5:
        raise UnreadableRecording(
            f"{source} has {len(shape)} dimensions ({format_shape(shape)}); expected at most five: T, C, Z, Y, X"
        )
    if set(axes) == {UNKNOWN}:
        return guess_layout(shape)
    if not set("YX") <= set(axes):
        return _guess_rest(axes, shape)
    holes = [position for position, letter in enumerate(axes) if letter == UNKNOWN]
    left = [letter for letter in "TCZ" if letter not in axes]
    letters = _guess_letters("".join(left), [shape[position] for position in holes])
    found = list(axes)
    for position, letter in zip(holes, letters, strict=True):
        found[position] = letter
    return "".join(found)


def guess_layout(shape: tuple[int, ...]) -> str:
    """The likeliest letters of an array of which nothing but its shape is known, images last where in doubt.

    Three other layouts are so common that their shapes give them away: channels last, z last (after x and y), and
    the columns of MATLAB, images first and time last.
    """
    count = len(shape)
    if count >= 4 and shape[-1] <= _MOST_CHANNELS and min(shape[-4:-1]) > _MOST_CHANNELS and _is_deep(shape[:-1]):
        return f"{guess_layout(shape[:-1])}C"
    if _is_deep(shape):
        return f"{_guess_lead('TC', shape[:-3])}XYZ"
    if count >= 4 and min(shape[0], shape[1]) >= _NARROWEST_IMAGE_PX:
        smallest = min(shape[2:])
        if smallest <= _DEEPEST_LAST_Z and 3 * smallest <= min(shape[0], shape[1]):
            return "YX" + ("ZT" if count == 4 else "CZT" if shape[2] <= _MOST_CHANNELS < shape[3] else "ZCT")
    return f"{_guess_letters('TCZ', list(shape[:-2]))}YX"


def _is_deep(shape: tuple[int, ...]) -> bool:
    """Whether the last dimension looks like z behind the two of an image."""
    if len(shape) < 3:
        return False
    last, image = shape[-1], min(shape[-3], shape[-2])
    return 1 < last <= _DEEPEST_LAST_Z and image >= max(3 * last, _NARROWEST_IMAGE_PX)


def _guess_lead(letters: str, sizes: tuple[int, ...]) -> str:
    if len(sizes) == 1:
        return "C" if 1 < sizes[0] <= 2 else "T"
    if len(sizes) == 2 and sizes[0] <= _MOST_CHANNELS < sizes[1]:
        return letters[::-1]
    return letters[: len(sizes)]


def _guess_rest(axes: str, shape: tuple[int, ...]) -> str:
    """Letters behind the known ones at the front: one dataset or file per volume, of which nothing is said."""
    known = axes.rstrip(UNKNOWN)
    inner = shape[len(known) :]
    left = "".join(letter for letter in "TCZ" if letter not in known)
    if "C" in left and len(inner) == 4 and inner[-1] <= _MOST_CHANNELS and _is_deep(inner[:-1]):
        return f"{known}XYZC"
    if "Z" in left and _is_deep(inner):
        return f"{known}{left.replace('Z', '')[: len(inner) - 3]}XYZ"
    return f"{known}{_guess_letters(left, list(inner[:-2]))}YX"


def _guess_letters(left: str, sizes: list[int]) -> str:
    if not sizes:
        return ""
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
    if set(axes) == {UNKNOWN}:
        axes = axes[:-2] + "YX"
    lead = [position for position, letter in enumerate(axes) if letter not in "CYX"]
    long = [position for position in lead if shape[position] > 1]
    if len(long) > 1:
        if "Z" in axes and shape[axes.index("Z")] == frames:
            return axes
        raise ConfigError(
            f"recording.frames_per_volume={frames} divides a stream of camera frames, but {source} has axes "
            f"{axes} "
            f"({format_shape(shape)}); leave it out, or give recording.axes with the letter N"
        )
    stream = long[0] if long else next(iter(lead), None)
    return "".join(
        letter if letter in "CYX" else "N" if position == stream else UNUSED for position, letter in enumerate(axes)
    )


def format_shape(shape: tuple[int, ...]) -> str:
    """``300 x 2 x 18 x 512 x 512``, with the multiplication sign."""
    return " × ".join(str(size) for size in shape)
