"""Neurons in frames as bells that overlap: what they share is divided by least squares."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32, Int, Real
from numpy.lib.stride_tricks import sliding_window_view

from cender.types import Regions

HALF_TO_SD = 1 / np.sqrt(8 * np.log(2))
REACH_SD = 2.0
# Two boxes in one place cannot be told apart; this keeps their heights equal instead of huge and opposite.
RIDGE = 0.02
# A pixel that much brighter or darker than all of its neighbours is the camera's own.
STUCK_SD = 7.0
LEAST_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class Profiles:
    """Regions of one channel as bells of unit height, in a window of the frame that holds them all.

    ``rows`` and ``columns`` are each bell along the window's axes, ``probe_rows`` and ``probe_columns`` the same cut
    off at `REACH_SD`. ``covered`` says whether at least half of a bell lies in the frame.
    """

    z: Int[np.ndarray, " n"]
    centre_px: Float[np.ndarray, "n 2"]
    corner_px: tuple[int, int]
    rows: Float32[np.ndarray, "n h"]
    columns: Float32[np.ndarray, "n w"]
    probe_rows: Float32[np.ndarray, "n h"]
    probe_columns: Float32[np.ndarray, "n w"]
    covered: Bool[np.ndarray, " n"]
    reach_px: int

    @classmethod
    def from_regions(cls, regions: Regions, shape: tuple[int, int], margin_px: int = 24) -> "Profiles":
        """Bells whose width at half their height is that of the boxes."""
        centre = regions.centre_px[:, 1:]
        size = np.maximum(regions.box_px[:, [3, 2]], 1.0)
        sd = size * HALF_TO_SD
        low = np.zeros(2, int)
        high = np.minimum(np.array(shape), 1)
        if len(regions):
            low = np.clip(np.floor((centre - size).min(axis=0)).astype(int) - margin_px, 0, np.array(shape) - 1)
            high = np.clip(np.ceil((centre + size).max(axis=0)).astype(int) + margin_px, low + 1, shape)
        bells, probes = [], []
        for axis in (0, 1):
            pixel = np.arange(low[axis], high[axis], dtype=np.float32)
            offset = (pixel - centre[:, axis, None].astype(np.float32)) / sd[:, axis, None].astype(np.float32)
            bell = np.exp(np.float32(-0.5) * offset**2)
            bells.append(bell)
            probes.append(np.where(np.abs(offset) <= REACH_SD, bell, np.float32(0)))
        whole = 2 * np.pi * np.prod(sd, axis=1)
        covered = probes[0].sum(axis=1) * probes[1].sum(axis=1) > LEAST_COVERED * whole
        reach = min(int(np.ceil(REACH_SD * sd.max())), (min(shape) - 1) // 2) if len(regions) else 0
        return cls(
            regions.z, centre, (int(low[0]), int(low[1])), bells[0], bells[1], probes[0], probes[1], covered, reach
        )

    def __len__(self) -> int:
        return len(self.z)

    def by_frame(self) -> Iterator[tuple[int, Int[np.ndarray, " k"]]]:
        """Every frame that has bells, with their rows."""
        order = np.argsort(self.z, kind="stable")
        frames, starts = np.unique(self.z[order], return_index=True)
        return zip(frames.tolist(), np.split(order, starts[1:]), strict=True)

    @property
    def probe_sum(self) -> Float[np.ndarray, " n"]:
        """What a background of one count adds to a probed value."""
        return np.asarray(self.probe_rows.sum(axis=1).astype(float) * self.probe_columns.sum(axis=1))


def probe_image(
    image: Real[np.ndarray, "z y x"], profiles: Profiles, full: float
) -> tuple[Float[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """Sum of the image under every bell, and whether a pixel near its middle is saturated."""
    side = 2 * profiles.reach_px + 1
    if not len(profiles):
        return np.zeros(0), np.zeros(0, bool)
    # A square that would stick out is moved in; the bells know where it lies.
    limit = np.array(image.shape[1:]) - side
    start = np.clip(np.rint(profiles.centre_px).astype(int) - profiles.reach_px, 0, limit)
    patch = sliding_window_view(image, (side, side), axis=(1, 2))[profiles.z, start[:, 0], start[:, 1]]
    clean = _mend_stuck_pixels(patch.astype(np.float32))
    weights = []
    for axis, whole in ((0, profiles.probe_rows), (1, profiles.probe_columns)):
        inner = start[:, axis, None] + np.arange(side) - profiles.corner_px[axis]
        inside = (inner >= 0) & (inner < whole.shape[1])
        taken = np.take_along_axis(whole, np.clip(inner, 0, whole.shape[1] - 1), axis=1)
        weights.append(np.where(inside, taken, np.float32(0)))
    saturated = np.zeros(len(profiles), bool)
    if patch.max() >= full:
        middle = (weights[0] > 0.5)[:, :, None] & (weights[1] > 0.5)[:, None, :]
        saturated = (middle & (patch >= full)).any(axis=(1, 2))
    across = np.einsum("nyx,nx->ny", clean, weights[1])
    return np.einsum("ny,ny->n", across, weights[0]).astype(float), saturated


def _mend_stuck_pixels(patch: Float32[np.ndarray, "n s s"]) -> Float32[np.ndarray, "n s s"]:
    """Patches in which a pixel far outside of the range of its eight neighbours is put back into it, in place."""
    count, side, _ = patch.shape
    flat = patch.reshape(count * side, side)
    around = np.ones((3, 3), np.uint8)
    around[1, 1] = 0
    high, low = cv2.dilate(flat, around), cv2.erode(flat, around)
    noise = 1.4826 * float(np.median(np.abs(flat[::7, 2::4] - flat[::7, :-2:4]))) / np.sqrt(2)
    slack = np.float32(STUCK_SD * max(noise, 1e-6))
    row, column = np.nonzero((flat > high + slack) | (flat < low - slack))
    value, least, most = flat[row, column], low[row, column], high[row, column]
    # Next to the steep flank of a bell half of the range around a pixel is no fault.
    beyond = np.maximum(value - most, least - value) > slack + 0.5 * (most - least)
    flat[row[beyond], column[beyond]] = np.clip(value, least, most)[beyond]
    return flat.reshape(patch.shape)


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the sums under overlapping bells become heights: a matrix for the bells of every frame."""

    rows: tuple[Int[np.ndarray, " _"], ...]
    inverse: tuple[Float[np.ndarray, "_ _"], ...]

    @classmethod
    def from_profiles(cls, profiles: Profiles) -> "Sharing":
        """Least squares over the bells of each frame."""
        rows, inverse = [], []
        for _, mine in profiles.by_frame():
            across = profiles.probe_rows[mine] @ profiles.rows[mine].T
            along = profiles.probe_columns[mine] @ profiles.columns[mine].T
            overlap = (across * along).astype(float)
            overlap[np.diag_indices(len(mine))] = (1 + RIDGE) * np.maximum(np.diagonal(overlap), 1e-6)
            rows.append(mine)
            inverse.append((1 + RIDGE) * np.linalg.inv(overlap))
        return cls(tuple(rows), tuple(inverse))

    def solve(self, probed: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Heights of the bells that together explain these sums."""
        height = np.zeros(len(probed))
        for mine, inverse in zip(self.rows, self.inverse, strict=True):
            height[mine] = inverse @ probed[mine]
        return height
