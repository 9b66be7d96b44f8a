"""Clouds of neurons and how they move: spacing, extents, steps between volumes, bending of the body."""

import numpy as np
from jaxtyping import Float
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

Points = Float[np.ndarray, "n 3"]


def measure_cloud(points_um: Points) -> dict[str, float]:
    """Number, spacing and extents (5th to 95th percentile along principal axes, µm) of neurons."""
    nearest = cKDTree(points_um).query(points_um, k=2)[0][:, 1]
    centred = points_um - points_um.mean(0)
    along = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    extent = np.sort(np.ptp(np.percentile(along, (5, 95), axis=0), axis=0))[::-1]
    return {
        "neurons": float(len(points_um)),
        "nearest neighbour, median": float(np.median(nearest)),
        "nearest neighbour, 10th percentile": float(np.percentile(nearest, 10)),
        "extent, long axis": float(extent[0]),
        "extent, middle axis": float(extent[1]),
        "extent, short axis": float(extent[2]),
    }


def measure_step(before_zyx_um: Points, after_zyx_um: Points) -> dict[str, float]:
    """How the same neurons moved from one volume to the next."""
    shift = after_zyx_um - before_zyx_um
    first, second = (points - points.mean(0) for points in (before_zyx_um, after_zyx_um))
    turn, _ = Rotation.align_vectors(second, first)
    rest = second - turn.apply(first)
    # The rotation that shows is the one in the image, about z.
    sine = (first[:, 2] * second[:, 1] - first[:, 1] * second[:, 2]).sum()
    angle_rad = np.arctan2(sine, (first[:, 1:] * second[:, 1:]).sum())
    return {
        "displacement": float(np.linalg.norm(shift, axis=1).mean()),
        "displacement without translation": float(np.linalg.norm(second - first, axis=1).mean()),
        "rotation in the image": float(np.abs(np.rad2deg(angle_rad))),
        "residual of a rigid fit": float(np.sqrt((rest**2).sum(1).mean())),
        "displacement along z": float(np.abs(shift[:, 0]).mean()),
    }


def measure_bending(angle_rad: Float[np.ndarray, "t s"], step_s: float) -> dict[str, float]:
    """Bending of a centre line with a point every hundredth of the body, from the nose.

    ``angle_rad`` is its direction. A running median over a quarter of a second comes first, as the real
    line is noisy from frame to frame.
    """
    width = max(1, round(0.25 / step_s)) | 1
    smooth = np.unwrap(_run_median(np.unwrap(angle_rad, axis=0), width), axis=1)
    bend = smooth[:, 20] - smooth[:, 2]
    rate = np.gradient(smooth[:, 7], step_s)
    return {
        "bend between 2 % and 20 % of the body, sd": float(bend.std()),
        "turning of the head's direction, median": float(np.median(np.abs(rate))),
        "turning of the head's direction, 90th percentile": float(np.percentile(np.abs(rate), 90)),
    }


def average(figures: list[dict[str, float]]) -> dict[str, float]:
    """Median of every figure."""
    return {key: float(np.median([one[key] for one in figures])) for key in figures[0]}


def _run_median(values: Float[np.ndarray, "t s"], width: int) -> Float[np.ndarray, "t s"]:
    padded = np.pad(values, ((width // 2, width // 2), (0, 0)), mode="edge")
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(padded, width, axis=0), axis=-1))
