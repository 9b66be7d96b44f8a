"""Recall on a real moving head of another laboratory's rig, whose background was removed."""

from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment

from cender.config import Config
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.volume import Detector, process_volume
from cender.types import Volume, VoxelSize

FILE = "moving_rig2.npz"
# Its source gives no size; this is about right.
VOXEL_UM = VoxelSize(2.2, 0.5, 0.5)
WITHIN_PX, WITHIN_FRAMES = 2.0, 2.0
"""Distance within the frame and along z up to which a point counts as found."""
# 2 µm, as on other real heads: in two of the four volumes people's points lie beside the light by more than 2 pixels.
WIDER_PX = 4.0
Marked = tuple[Volume, Float[np.ndarray, "n 3"], Int[np.ndarray, " n"]]


def load_moving(path: Path) -> list[Marked]:
    """Volumes with the points (``z y x`` in voxels) and identities that people gave; not every nucleus is marked."""
    with np.load(path) as stored:
        volumes, points = stored["volumes"], stored["points_xyz"]
    found = []
    for index, (data, place) in enumerate(zip(volumes, points, strict=True)):
        red = np.ascontiguousarray(data[0].transpose(2, 1, 0))
        known = np.flatnonzero(np.isfinite(place).all(1))
        volume = Volume(index, float(index), red[None], VOXEL_UM, ("red",))
        found.append((volume, place[known][:, ::-1].astype(float), known))
    return found


def measure_moving(path: Path, detector: Detector, config: Config) -> dict[str, Any]:
    """Recall within 2 pixels (and within 4, which is 2 µm) and 2 frames, detections per point and flagged volumes."""
    points = hits = wider = detections = flagged = 0
    each = []
    marked = load_moving(path)
    compass = load_compass()
    for volume, place, _ in marked:
        outcome = process_volume(volume, compass, detector, config.preprocess, config.merge)
        found = np.zeros((0, 3)) if outcome.neurons is None else outcome.neurons.centre_px
        points += len(place)
        detections += len(found)
        each.append(count_hits(place, found) / len(place))
        hits += count_hits(place, found)
        wider += count_hits(place, found, WIDER_PX)
        flagged += outcome.status != "ok"
    return {
        "data": "a moving head of another rig, recall within 2 pixels and 2 frames",
        "recall": hits / points,
        "recall_by_volume": each,
        "recall_within_2_um": wider / points,
        "detections_per_point": detections / points,
        "flagged": flagged / len(marked),
        "points": points,
    }


def count_hits(place: Float[np.ndarray, "n 3"], found: Float[np.ndarray, "m 3"], within_px: float = WITHIN_PX) -> int:
    """Points that have a finding of their own near by."""
    return len(pair_hits(place, found, within_px)[0])


def pair_hits(
    place: Float[np.ndarray, "n 3"], found: Float[np.ndarray, "m 3"], within_px: float = WITHIN_PX
) -> tuple[Int[np.ndarray, " h"], Int[np.ndarray, " h"]]:
    """Rows of the points that have a finding of their own near by, and rows of these findings."""
    apart = place[:, None] - found[None]
    across = np.linalg.norm(apart[..., 1:], axis=2)
    near = (across <= within_px) & (np.abs(apart[..., 0]) <= WITHIN_FRAMES)
    row, column = linear_sum_assignment(np.where(near, -10.0 + across, 0.0))
    there = near[row, column]
    return row[there], column[there]
