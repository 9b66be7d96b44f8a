"""A look at a few volumes of a recording: is a channel blank or saturated, are red and green exchanged?"""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Shaped

from cender.io.recordings.inspect.flicker import Flicker, measure_flicker
from cender.io.recordings.inspect.plausible import warn_shape, warn_size
from cender.types import Recording

_SATURATED_SHARE = 1e-3
"""Share of saturated pixels from which on it is said."""
# A sensor's full scale is at least this; below it, equal brightest pixels are nothing special.
_LEAST_FULL_SCALE = 200
# Pixel noise alone does not rise this many deviations above the median in a smoothed projection.
_BLANK_CONTRAST = 7.0
_PLACES = 4
"""Places in the recording at which two volumes are compared."""
_GAP_S = 1.6
"""Time between the two volumes."""
# Against the other channel: how much more its nuclei must change by themselves, how much at all, and how
# surely.
_FLICKER_RATIO = 1.5
_LEAST_FLICKER = 0.1
_LEAST_CERTAINTY = 2.0


@dataclass(frozen=True, slots=True)
class ChannelLook:
    """What a few volumes of one channel show."""

    lowest: float
    median: float
    highest: float
    saturated: float
    contrast: float

    @property
    def blank(self) -> bool:
        """Whether there is nothing but noise."""
        return self.contrast < _BLANK_CONTRAST


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a look at some volumes of a recording gave."""

    volumes: tuple[int, ...]
    channels: tuple[ChannelLook, ...]
    flicker: Flicker | None
    warnings: tuple[str, ...]


def inspect_recording(recording: Recording) -> Inspection:
    """Look at up to eight volumes, in pairs from the start to the end of a recording."""
    pairs = choose_pairs(len(recording), recording.rate_hz)
    indices = sorted({index for pair in pairs for index in pair})
    two = _choose_two(recording)
    tops, looks, heads = {}, [], []
    reference = recording.channel("red") or 0
    for index in indices:
        data = recording.read(index, tuple(range(recording.shape[1])))
        looks.append([_look(channel) for channel in data])
        heads.append(data[reference].max(axis=0))
        if two is not None:
            tops[index] = data[list(two)].max(axis=1).astype(np.float32)
    channels = tuple(_join(list(values)) for values in zip(*looks, strict=True))
    flicker = None
    if two is not None and not any(channels[channel].blank for channel in two):
        flicker = measure_flicker([(tops[a], tops[b]) for a, b in pairs if a != b])
    odd = warn_shape(recording)
    # Where the axes are wrong, sizes mean nothing.
    sizes = [] if odd or channels[reference].blank else warn_size(recording, heads)
    warnings = [*odd, *sizes, *_warn_pixels(channels)]
    if flicker is not None and two is not None:
        warnings += _warn_roles(recording, flicker, two)
    return Inspection(tuple(indices), channels, flicker, tuple(warnings))


def choose_pairs(volumes: int, rate_hz: float | None) -> list[tuple[int, int]]:
    """Pairs of volumes somewhat more than a second apart, spread over the recording."""
    gap = min(max(1, round((rate_hz or 5.0) * _GAP_S)), max(0, volumes - 1))
    starts = sorted({int(start) for start in np.linspace(0, volumes - 1 - gap, _PLACES)})
    return [(start, start + gap) for start in starts]


def _choose_two(recording: Recording) -> tuple[int, int] | None:
    """The red and the green channel, or both of two whose roles are not known."""
    red, green = recording.channel("red"), recording.channel("green")
    if red is not None and green is not None:
        return red, green
    return (0, 1) if recording.roles is None and recording.shape[1] == 2 else None


def _look(data: Shaped[np.ndarray, "z y x"]) -> Float[np.ndarray, " 5"]:
    """Lowest, median, highest value, share of pixels at the highest, contrast of the smoothed projection."""
    lowest, highest = float(data.min()), float(data.max())
    full = data.dtype.kind in "iu" and highest >= _LEAST_FULL_SCALE
    share = float((data == data.max()).mean()) if full and highest > lowest else 0.0
    middle = float(np.median(data[len(data) // 2]))
    return np.array([lowest, middle, highest, share, _contrast(data.mean(axis=0))])


def _contrast(image: Float[np.ndarray, "y x"]) -> float:
    """How many deviations the brightest spot of a smoothed image is above its median."""
    smooth = cv2.GaussianBlur(image.astype(np.float32), (0, 0), 2.0)
    middle = float(np.median(smooth))
    spread = 1.4826 * float(np.median(np.abs(smooth - middle)))
    top = float(smooth.max()) - middle
    return top / spread if spread > 0 else (np.inf if top > 0 else 0.0)


def _join(looks: list[Float[np.ndarray, " 5"]]) -> ChannelLook:
    lowest, middle, highest, share, contrast = np.array(looks).T
    return ChannelLook(
        float(lowest.min()),
        float(np.median(middle)),
        float(highest.max()),
        float(share.max()),
        float(contrast.max()),
    )


def _warn_pixels(channels: tuple[ChannelLook, ...]) -> list[str]:
    found = []
    for number, look in enumerate(channels):
        if look.blank:
            found.append(f"channel {number} looks blank: nothing stands out of its noise (median {look.median:g})")
        elif look.saturated > _SATURATED_SHARE:
            found.append(
                f"channel {number} is saturated: {look.saturated:.2%} of its pixels are at {look.highest:g}, "
                "the highest value"
            )
    return found


def _warn_roles(recording: Recording, flicker: Flicker, two: tuple[int, int]) -> tuple[str, ...]:
    """Say where the reference looks like the activity channel, or which is which where nothing says so."""
    steady, lively = sorted((0, 1), key=lambda channel: flicker.change[channel])
    low, high = flicker.change[steady], flicker.change[lively]
    clear = high >= max(_LEAST_FLICKER, _FLICKER_RATIO * low) and flicker.certainty >= _LEAST_CERTAINTY
    if not clear or (recording.roles is not None and recording.roles[two[lively]] == "green"):
        return ()
    roles = ["other"] * recording.shape[1]
    roles[two[steady]], roles[two[lively]] = "red", "green"
    setting = f"recording.roles={','.join(roles)}"
    figures = f"by itself a nucleus changes by {high:.0%} in it and by {low:.0%} in the other ({flicker.nuclei} nuclei)"
    if recording.roles is None:
        return (f"channel {two[lively]} looks like the activity channel: {figures}; {setting} would say so",)
    return (
        f"the red channel ({two[lively]}) looks like the activity channel: {figures}; "
        f"if red and green are exchanged, give {setting}",
    )
