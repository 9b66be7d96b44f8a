"""Where the green channel lies against the red one: estimated from the recording, checked, or given."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from cender.activity.landmarks import (
    Landmarks,
    Sketch,
    draw_sketch,
    find_shift,
    find_spots,
    match_landmarks,
    measure_depth_shift,
)
from cender.activity.params import ActivityParams
from cender.types import Regions, Stack, VoxelSize

LOG = logging.getLogger(__name__)
# A map is trusted from so many spots on, of which this share has to lie within so many pixels of it.
FEWEST_POINTS = 25
LEAST_AGREEING = 0.5
"""Share of the spots seen in both channels that must agree on a map for it to be trusted."""
AGREE_PX = 2.0
"""Distance between where a map puts a spot and where it is seen, up to which the two agree."""
# Two cameras of one microscope differ by a few per cent at most in scale and angle.
LINEAR_SD, LARGEST_LINEAR = 0.01, 0.05
LANDMARK_SD_PX = 0.7
"""How precisely a spot is found in the other channel (standard deviation), against which the linear part is held."""
# From how far away a spot still counts, round by round.
SCALES_PX = (8.0, 5.0, 3.0, 2.0, 2.0, 2.0)


@dataclass(frozen=True, slots=True)
class ChannelMap:
    """Affine map from ``y x`` pixels of red to those of green, and the frames by which green lies behind.

    ``residual_px`` is the typical distance (median) that the map leaves between landmarks of the two channels, NaN
    where none was measured; ``quality`` the share of landmarks that agree with it. Where the channels could not be
    brought together the map changes nothing, ``trusted`` is False and ``reason`` says why.
    """

    matrix_yx: Float[np.ndarray, "2 3"]
    shift_z: int = 0
    source: Literal["estimated", "given", "identity"] = "identity"
    residual_px: float = float("nan")
    residual_um: float = float("nan")
    quality: float = 0.0
    points: int = 0
    trusted: bool = True
    reason: str = ""

    @classmethod
    def unmoved(cls, reason: str = "", trusted: bool = True) -> "ChannelMap":
        """A map that changes nothing."""
        return cls(np.eye(2, 3), trusted=trusted, reason=reason)

    def move_points(self, points_yx: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "n 2"]:
        """Points of the red channel as the green one sees them."""
        return np.asarray(points_yx @ self.matrix_yx[:, :2].T + self.matrix_yx[:, 2])

    def move(self, regions: Regions) -> Regions:
        """Regions of the red channel where the green one has them; sizes stay."""
        shift = self.move_points(regions.centre_px[:, 1:]) - regions.centre_px[:, 1:]
        box = regions.box_px.copy()
        box[:, :2] += shift[:, ::-1]
        return replace(regions, z=regions.z + self.shift_z, box_px=box)


def estimate_channel_map(stacks: Iterable[Stack], params: ActivityParams) -> ChannelMap:
    """Map from red to green, from a handful of volumes or from the settings.

    Both channels are projected along z and sharpened; their shift comes from a correlation over all volumes, then
    bright spots of red are looked for in green and an affine map is fitted to those that agree.

    Parameters
    ----------
    stacks
        Six or more volumes from all over the recording, with both channels; one is needed at a time.
    params
        Settings of the stage; a given map is taken as it is.
    """
    if params.red_to_green is not None:
        return ChannelMap(np.array(params.red_to_green).reshape(2, 3), params.shift_z, "given", reason="settings")
    sketches, voxel_um = [], None
    for stack in stacks:
        if stack.red is not None and stack.green is not None:
            voxel_um = stack.voxel_um
            sketches.append(draw_sketch(stack))
    if voxel_um is None:
        return ChannelMap.unmoved("there are not two channels to bring together")
    found = _estimate([one for one in sketches if one is not None], voxel_um, params)
    if not found.trusted:
        LOG.warning("red and green are taken as aligned: %s", found.reason)
    return found


def _estimate(sketches: Sequence[Sketch], voxel_um: VoxelSize, params: ActivityParams) -> ChannelMap:
    pictures = [one.picture for one in sketches]
    if not pictures:
        return ChannelMap.unmoved("nothing can be seen in one of the channels", trusted=False)
    matrix = np.eye(2, 3)
    matrix[:, 2] = find_shift(pictures)
    spots = [find_spots(red) for red, _ in pictures]
    landmarks = match_landmarks(pictures, spots, matrix)
    for _ in range(2):
        matrix = fit_affine(landmarks, matrix)
        landmarks = match_landmarks(pictures, spots, matrix)
    matrix = fit_affine(landmarks, matrix)
    distance = _distances(landmarks, matrix)
    agreeing = distance < AGREE_PX
    quality = float(agreeing.mean()) if len(distance) else 0.0
    residual = float(np.median(distance[agreeing])) if agreeing.any() else float("nan")
    found = ChannelMap(
        matrix,
        measure_depth_shift(sketches, landmarks, agreeing),
        "estimated",
        residual,
        residual * voxel_um.x_um,
        quality,
        int(agreeing.sum()),
    )
    doubt = _find_doubt(found, params)
    if doubt:
        fallen = ChannelMap.unmoved(f"{doubt}; give --set activity.red_to_green=… if they are not", trusted=False)
        return replace(
            fallen, residual_px=residual, residual_um=found.residual_um, quality=quality, points=found.points
        )
    return found


def _find_doubt(found: ChannelMap, params: ActivityParams) -> str:
    """Why a map cannot be trusted; empty where it can."""
    if found.points < FEWEST_POINTS:
        return f"only {found.points} spots are seen in both channels (of {FEWEST_POINTS} that are needed)"
    if found.quality < LEAST_AGREEING:
        return f"only {found.quality:.0%} of the spots seen in both channels agree on one map"
    if not found.residual_px <= params.largest_residual_px:
        return f"the best map leaves the channels {found.residual_px:.1f} px apart"
    linear = float(np.abs(found.matrix_yx[:, :2] - np.eye(2)).max())
    if linear > LARGEST_LINEAR:
        return f"the best map turns or stretches by {linear:.0%}, more than two cameras differ"
    return ""


def fit_affine(landmarks: Landmarks, start: Float[np.ndarray, "2 3"]) -> Float[np.ndarray, "2 3"]:
    """Affine map through the landmarks that agree (Tukey's weights, narrowed step by step).

    Scale and angle are held near those of equal cameras as far as the landmarks do not say otherwise: where they
    cover little of the frame, the map cannot run away beyond them.
    """
    red, green = landmarks.red_yx, landmarks.green_yx
    if len(red) < 3:
        return start
    middle = red.mean(axis=0)
    design = np.concatenate([red - middle, np.ones((len(red), 1))], axis=1)
    held = np.diag([1 / LINEAR_SD**2, 1 / LINEAR_SD**2, 1e-6]) * LANDMARK_SD_PX**2
    matrix = start
    for scale in SCALES_PX:
        apart = _distances(landmarks, matrix) / (2 * scale)
        weight = np.where(apart < 1, (1 - apart**2) ** 2, 0.0)
        if (weight > 0).sum() < 3:
            return matrix
        solved = np.linalg.solve(
            design.T @ (weight[:, None] * design) + held, design.T @ (weight[:, None] * (green - red))
        )
        linear = np.eye(2) + solved[:2].T
        matrix = np.concatenate([linear, (solved[2] + middle - linear @ middle)[:, None]], axis=1)
    return np.asarray(matrix)


def _distances(landmarks: Landmarks, matrix: Float[np.ndarray, "2 3"]) -> Float[np.ndarray, " k"]:
    moved = landmarks.red_yx @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(np.linalg.norm(moved - landmarks.green_yx, axis=1))
