"""Which of two channels is the activity: the one whose nuclei change their brightness by themselves.

Nuclei are matched between two volumes about a second apart, after a shift of the whole head. Motion, defocus
and wrong matches change both channels of a nucleus alike; only what a channel does by itself counts here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Int
from scipy.spatial import cKDTree

_NUCLEUS_PX = 2.0
"""Standard deviation of the blur that makes nuclei stand out."""
_REACH_PX = 9.0
"""How far a nucleus may move between two volumes and still be found again."""
_BORDER_PX = 8
"""Nuclei nearer than this to the edge of the image are left out."""
_MOST_NUCLEI = 150
"""Nuclei that are looked at, the brightest ones."""
_FEWEST_NUCLEI = 12
"""Nuclei that must be found again for a verdict."""
_PATCH_PX = 3
"""Half the side of the patch in which a nucleus' brightness is measured."""

# One wrong match must not decide.
_CLIP = 0.5

Tops = Float[np.ndarray, "2 y x"]


@dataclass(frozen=True, slots=True)
class Flicker:
    """Typical relative change that each channel makes by itself, and how sure the difference is (a t value)."""

    change: tuple[float, float]
    certainty: float
    nuclei: int


def measure_flicker(pairs: Sequence[tuple[Tops, Tops]]) -> Flicker | None:
    """How much the nuclei of two channels change by themselves, None where too few nuclei were found.

    Parameters
    ----------
    pairs
        Maximum-over-z images of both channels, of two volumes a short time apart.
    """
    found = np.concatenate([np.zeros((2, 0)), *(_compare(*pair) for pair in pairs)], axis=1).clip(-_CLIP, _CLIP)
    count = found.shape[1]
    if count < _FEWEST_NUCLEI:
        return None
    first, second = np.sqrt(np.maximum(found.mean(axis=1), 0.0))
    difference = found[1] - found[0]
    error = float(difference.std()) / np.sqrt(count)
    certainty = float(abs(difference.mean()) / error) if error > 0 else 0.0
    return Flicker((float(first), float(second)), certainty, count)


def _compare(first: Tops, second: Tops) -> Float[np.ndarray, "2 n"]:
    """Variance that each channel of every matched nucleus has by itself, one noisy number a nucleus.

    With d the change of the logarithm, a nucleus gives d(one half of its pixels) × (d(the other half) - d(the
    other channel)): pixel noise is independent in the halves and cancels in the mean, what both channels do
    cancels too.
    """
    one, two = _smooth(first), _smooth(second)
    shift = _find_shift(one.sum(axis=0), two.sum(axis=0))
    here, there = _find_nuclei(one.sum(axis=0)), _find_nuclei(two.sum(axis=0))
    if min(len(here), len(there)) < 2:
        return np.zeros((2, 0))
    distance, partner = cKDTree(there).query(here + shift)
    back = cKDTree(here + shift).query(there)[1]
    rows = np.flatnonzero((distance < _REACH_PX) & (back[partner] == np.arange(len(here))))
    changes = np.zeros((2, 2, len(rows)))
    for channel in (0, 1):
        before = _measure_halves(first[channel], one[channel], here[rows])
        after = _measure_halves(second[channel], two[channel], there[partner[rows]])
        changes[channel] = np.log(after / before)
    changes = changes[:, :, np.isfinite(changes).all(axis=(0, 1))]
    if changes.shape[2] < 2:
        return np.zeros((2, 0))
    changes -= np.median(changes, axis=2, keepdims=True)
    other = changes[::-1].mean(axis=1)
    return np.asarray((changes[:, 0] * (changes[:, 1] - other) + changes[:, 1] * (changes[:, 0] - other)) / 2)


def _smooth(tops: Tops) -> Tops:
    """Channels smoothed to the size of nuclei and brought to one scale, background at zero."""
    smooth = np.stack([cv2.GaussianBlur(top.astype(np.float32), (0, 0), _NUCLEUS_PX) for top in tops])
    smooth -= np.median(smooth, axis=(1, 2), keepdims=True)
    top = np.quantile(smooth, 0.999, axis=(1, 2), keepdims=True)
    return np.asarray(smooth / np.maximum(top, 1e-6), np.float32)


def _find_shift(first: Float[np.ndarray, "y x"], second: Float[np.ndarray, "y x"]) -> Float[np.ndarray, " 2"]:
    """How far the picture as a whole moved, ``y x``, from the peak of the cross-correlation."""
    spectrum = np.conj(np.fft.rfft2(first)) * np.fft.rfft2(second)
    correlation = np.fft.irfft2(spectrum, first.shape)
    peak = np.array(np.unravel_index(int(correlation.argmax()), first.shape), float)
    size = np.array(first.shape, float)
    return np.where(peak > size / 2, peak - size, peak)


def _find_nuclei(image: Float[np.ndarray, "y x"]) -> Int[np.ndarray, "n 2"]:
    """The brightest local maxima, ``y x``."""
    window = np.ones((2 * _PATCH_PX + 1,) * 2, np.uint8)
    peaks = (image == cv2.dilate(image, window)) & (image > 0.15 * float(np.quantile(image, 0.9995)))
    peaks[:_BORDER_PX] = peaks[-_BORDER_PX:] = peaks[:, :_BORDER_PX] = peaks[:, -_BORDER_PX:] = False
    places = np.argwhere(peaks)
    order = np.argsort(image[peaks], kind="stable")[::-1]
    return places[order[:_MOST_NUCLEI]]


def _measure_halves(
    image: Float[np.ndarray, "y x"], smooth: Float[np.ndarray, "y x"], places: Int[np.ndarray, "n 2"]
) -> Float[np.ndarray, "2 n"]:
    """Mean above background of the two colours of a chessboard laid over each nucleus; NaN where it is not above."""
    background = float(np.median(image))
    black = np.indices((2 * _PATCH_PX + 1,) * 2).sum(axis=0) % 2 == 0
    halves = np.full((2, len(places)), np.nan)
    for row, (top, left) in enumerate(places):
        # Two cameras do not point at quite the same place: take the brightest spot near by.
        near = smooth[top - _PATCH_PX : top + _PATCH_PX + 1, left - _PATCH_PX : left + _PATCH_PX + 1]
        down, right = np.unravel_index(int(near.argmax()), near.shape)
        y, x = top + int(down) - _PATCH_PX, left + int(right) - _PATCH_PX
        patch = image[y - _PATCH_PX : y + _PATCH_PX + 1, x - _PATCH_PX : x + _PATCH_PX + 1]
        if patch.shape == black.shape:
            halves[:, row] = patch[black].mean() - background, patch[~black].mean() - background
    return np.where(halves > 0, halves, np.nan)
