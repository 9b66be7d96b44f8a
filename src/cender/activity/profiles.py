"""Neurons in frames as bells that overlap: what they share is divided by least squares."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, Real
from numpy.lib.stride_tricks import sliding_window_view

from cender.types import Regions

HALF_TO_SD = 1 / np.sqrt(8 * np.log(2))
"""Standard deviation of a bell as a share of its full width at half its height."""
REACH_SD = 2.0
"""Standard deviations from its centre at which a bell is cut off."""
# Around all bells, so that background is seen on every side of them.
MARGIN_PX = 24
# Beyond this a bell is darker than any camera can show: less than a hundred-thousandth of its peak.
END_SD = 5.0
# Two boxes in one place cannot be told apart; this keeps their heights equal instead of huge and opposite.
RIDGE = 0.02
# A pixel that much brighter or darker than all of its neighbours is the camera's own.
STUCK_SD = 7.0
LEAST_COVERED = 0.5
"""Share of a bell that must lie in the frame for its light to count."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """Regions of one channel as bells of unit height, the product of one along y and one along x.

    ``window_px`` is top, left, height and width of the part of the frame around all of them. ``start_px`` is the
    corner of a square of pixels around each bell; ``rows`` and ``columns`` are the bell along the sides of that square,
    cut off at `REACH_SD`. ``covered`` says whether at least half of a bell lies in the frame.
    """

    z: Int[np.ndarray, " n"]
    centre_px: Float[np.ndarray, "n 2"]
    sd_px: Float[np.ndarray, "n 2"]
    window_px: tuple[int, int, int, int]
    start_px: Int[np.ndarray, "n 2"]
    rows: Float32[np.ndarray, "n s"]
    columns: Float32[np.ndarray, "n s"]
    covered: Bool[np.ndarray, " n"]

    @classmethod
    def from_regions(cls, regions: Regions, shape: tuple[int, int]) -> "Profiles":
        """Bells whose width at half their height is that of the boxes."""
        centre, frame = regions.centre_px[:, 1:], np.array(shape)
        size = np.maximum(regions.box_px[:, [3, 2]], 1.0)
        sd = size * HALF_TO_SD
        low, high, reach = np.zeros(2, int), np.minimum(frame, 1), 0
        if len(regions):
            low = np.clip(np.floor((centre - size).min(axis=0)).astype(int) - MARGIN_PX, 0, frame - 1)
            high = np.clip(np.ceil((centre + size).max(axis=0)).astype(int) + MARGIN_PX, low + 1, frame)
            reach = min(int(np.ceil(REACH_SD * sd.max())), (min(shape) - 1) // 2)
        side = 2 * reach + 1
        # A square that would stick out is moved in; the bells know where it lies.
        start = np.clip(np.rint(centre).astype(int) - reach, 0, frame - side)
        pixel = (start[:, :, None] + np.arange(side)).astype(np.float32)
        offset = (pixel - centre[:, :, None].astype(np.float32)) / sd[:, :, None].astype(np.float32)
        bell = np.where(np.abs(offset) <= REACH_SD, np.exp(np.float32(-0.5) * offset**2), np.float32(0))
        covered = bell.sum(axis=2).prod(axis=1) > LEAST_COVERED * 2 * np.pi * np.prod(sd, axis=1)
        window = (int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
        return cls(regions.z, centre, sd, window, start, bell[:, 0], bell[:, 1], covered)

    def __len__(self) -> int:
        return len(self.z)

    @property
    def probe_sum(self) -> Float[np.ndarray, " n"]:
        """What a background of one count adds to a probed value."""
        return np.asarray(self.rows.sum(axis=1).astype(float) * self.columns.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Places:
    """A place for every bell in a table of frames × the bells of the fullest frame."""

    frame: Int[np.ndarray, " n"]
    slot: Int[np.ndarray, " n"]
    shape: tuple[int, int]
    first: int

    @classmethod
    def from_frames(cls, z: Int[np.ndarray, " n"]) -> "Places":
        """Bells of a frame in their order; frames between the first and the last without any have empty rows."""
        first = int(z.min())
        frame = z - first
        order = np.argsort(frame, kind="stable")
        counts = np.bincount(frame)
        slot = np.empty(len(z), int)
        slot[order] = np.arange(len(z)) - np.repeat(np.cumsum(counts) - counts, counts)
        return cls(frame, slot, (len(counts), int(counts.max())), first)

    def spread(self, values: Real[np.ndarray, "n ..."]) -> Real[np.ndarray, "f k ..."]:
        """Values of the bells in their places, 0 in empty ones."""
        table = np.zeros((*self.shape, *values.shape[1:]), values.dtype)
        table[self.frame, self.slot] = values
        return table


def probe_image(
    image: Real[np.ndarray, "z y x"], profiles: Profiles, full: float
) -> tuple[Float[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """Sum of the image under every bell, and whether a pixel near its middle is saturated."""
    if not len(profiles):
        return np.zeros(0), np.zeros(0, bool)
    side = profiles.rows.shape[1]
    start = profiles.start_px
    patch = sliding_window_view(image, (side, side), axis=(1, 2))[profiles.z, start[:, 0], start[:, 1]]
    saturated = np.zeros(len(profiles), bool)
    if patch.max() >= full:
        middle = (profiles.rows > 0.5)[:, :, None] & (profiles.columns > 0.5)[:, None, :]
        saturated = (middle & (patch >= full)).any(axis=(1, 2))
    clean = _mend_stuck_pixels(patch)
    across = np.matmul(clean, profiles.columns[:, :, None])[:, :, 0]
    return np.einsum("ny,ny->n", across, profiles.rows).astype(float), saturated


def _mend_stuck_pixels(patch: Real[np.ndarray, "n s s"]) -> Float32[np.ndarray, "n s s"]:
    """Patches in which a pixel far outside of the range of its eight neighbours is put back into it."""
    count, side, _ = patch.shape
    flat = patch.reshape(count * side, side)
    clean = flat.astype(np.float32)
    noise = 1.4826 * float(np.median(np.abs(clean[::7, 2::4] - clean[::7, :-2:4]))) / np.sqrt(2)
    slack = np.float32(STUCK_SD * max(noise, 1e-6))
    at = _find_suspects(flat.ravel(), float(slack))
    value = clean.ravel()[at]
    least, most = _find_range(clean, at)
    # Next to the steep flank of a bell half of the range around a pixel is no fault.
    away = np.maximum(value - most, least - value)
    beyond = (away > slack) & (away > slack + 0.5 * (most - least))
    clean.ravel()[at[beyond]] = np.clip(value, least, most)[beyond]
    return clean.reshape(patch.shape)


def _find_suspects(line: Real[np.ndarray, " p"], slack: float) -> Int[np.ndarray, " k"]:
    """Pixels that stand out among the two beside them: few, and among them all that stand out among all eight.

    Rows follow each other, so the first and the last pixel of a row count those of other rows as neighbours.
    """
    middle, before, after = line[1:-1], line[:-2], line[2:]
    high, low = np.maximum(before, after), np.minimum(before, after)
    # Differences that cannot be negative, whatever the kind of number.
    above, below = np.maximum(middle, high) - high, low - np.minimum(middle, low)
    return np.flatnonzero(np.maximum(above, below) > slack) + 1


def _find_range(
    flat: Float32[np.ndarray, "h w"], at: Int[np.ndarray, " k"]
) -> tuple[Float32[np.ndarray, " k"], Float32[np.ndarray, " k"]]:
    """Least and greatest of the eight neighbours of some pixels, fewer at the edge."""
    step = np.array([(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)])
    row = (at // flat.shape[1])[:, None] + step[:, 0]
    column = (at % flat.shape[1])[:, None] + step[:, 1]
    there = (row >= 0) & (row < flat.shape[0]) & (column >= 0) & (column < flat.shape[1])
    found = flat[np.where(there, row, 0), np.where(there, column, 0)]
    return np.where(there, found, np.inf).min(axis=1), np.where(there, found, -np.inf).max(axis=1)


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the sums under overlapping bells become heights: what the probe of bell ``one`` sees of bell ``other``."""

    places: Places
    one: Int[np.ndarray, " p"]
    other: Int[np.ndarray, " p"]
    overlap: Float[np.ndarray, " p"]

    @classmethod
    def from_profiles(cls, profiles: Profiles, places: Places, faint: Bool[np.ndarray, " n"]) -> "Sharing":
        """Least squares over the bells of each frame; faint ones get what the others leave."""
        one, other, overlap = _measure_overlap(profiles, places)
        overlap[faint[other] & ~faint[one]] = 0.0
        return cls(places, one, other, np.where(one == other, np.maximum(overlap, 1e-6), overlap))

    def solve_bells(self, probed: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Heights of the bells that together explain these sums, every frame by itself."""
        places, (frames, most) = self.places, self.places.shape
        matrix = np.zeros((frames, most, most))
        matrix[places.frame[self.one], places.slot[self.one], places.slot[self.other]] = self.overlap
        heights = _solve(matrix, places.spread(probed))
        return np.asarray(heights[places.frame, places.slot])

    def solve_neurons(
        self,
        probed: Float[np.ndarray, " n"],
        shape: Float[np.ndarray, " n"],
        neuron: Int[np.ndarray, " n"],
        count: int,
    ) -> Float[np.ndarray, " m"]:
        """Heights of neurons whose bells all have one, times the ``shape`` of each bell; 0 for those without bells."""
        matrix = np.zeros((count, count))
        weight = self.overlap * shape[self.one] * shape[self.other]
        np.add.at(matrix, (neuron[self.one], neuron[self.other]), weight)
        return _solve(matrix, np.bincount(neuron, shape * probed, count))


def _solve(matrix: Float[np.ndarray, "*f k k"], sums: Float[np.ndarray, "*f k"]) -> Float[np.ndarray, "*f k"]:
    """Least squares with a ridge; what nothing is known of is 0."""
    own = np.einsum("...ii->...i", matrix)
    own[...] = np.where(own > 0, (1 + RIDGE) * own, 1.0)
    return np.asarray((1 + RIDGE) * np.linalg.solve(matrix, sums[..., None])[..., 0])


def _measure_overlap(
    profiles: Profiles, places: Places
) -> tuple[Int[np.ndarray, " p"], Int[np.ndarray, " p"], Float[np.ndarray, " p"]]:
    """Pairs of bells that touch, each with itself too, and what a probe of the first sees of the second."""
    table = places.spread(np.arange(1, len(profiles) + 1)) - 1
    touching = (table >= 0)[:, :, None] & (table >= 0)[:, None, :]
    for axis in (0, 1):
        centre, sd = (
            places.spread(values[:, axis].astype(np.float32)) for values in (profiles.centre_px, profiles.sd_px)
        )
        reach = np.float32(REACH_SD) * sd[:, :, None] + np.float32(END_SD) * sd[:, None, :]
        touching &= np.abs(centre[:, :, None] - centre[:, None, :]) < reach
    frame, row, column = np.nonzero(touching)
    one, other = table[frame, row], table[frame, column]
    side, total = profiles.rows.shape[1], np.ones(len(one))
    for axis, probe in ((0, profiles.rows), (1, profiles.columns)):
        away = (profiles.start_px[one, axis] - profiles.centre_px[other, axis]).astype(np.float32)
        sd = profiles.sd_px[other, axis].astype(np.float32)
        offset = (away[:, None] + np.arange(side, dtype=np.float32)) / sd[:, None]
        # The limit keeps numbers that are too small to be exact, and slow, out of the sum.
        bell = np.exp(np.maximum(np.float32(-0.5) * offset**2, np.float32(-40)))
        total *= np.einsum("ps,ps->p", probe[one], bell)
    return one, other, total
