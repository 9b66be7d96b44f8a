"""The default detector: one pass of a small network over the head, every frame seen with its neighbours."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int, Real, UInt8

from cender.detect.decode import decode_centres, decode_regions
from cender.detect.measure import measure_regions
from cender.detect.normalise import Grid, cut_strip
from cender.detect.params import DetectParams
from cender.detect.suppression import suppress_boxes, suppress_centres
from cender.types import Detections, Head, Maps, Regions, VoxelSize

Score = Callable[[UInt8[np.ndarray, "z y x"]], Maps]


def detect_regions(
    red: Real[np.ndarray, "z y x"], head: Head, voxel_um: VoxelSize, score: Score, params: DetectParams
) -> Detections:
    """Regions and neuron centres of one volume, in full-frame pixels.

    Parameters
    ----------
    score
        The network: from frames on a grid that it knows, in levels, to maps of half the size.
    """
    image, grid = cut_strip(red, head, voxel_um)
    maps = score(image)
    frame, box, chance = decode_regions(maps, params.region_score)
    keep = suppress_boxes(frame, box, chance, params.overlap)
    z, rows = _spread_frames(frame[keep], grid, len(red))
    full = grid.boxes_to_full(box[keep][rows])
    inside = _inside(full, red.shape[1:])
    regions = Regions.from_boxes(z[inside], full[inside], score=chance[keep][rows][inside])
    centre, centre_score = decode_centres(maps, params.centre_score)
    centre_px = grid.points_to_full(centre)
    apart = suppress_centres(centre_px * np.array(voxel_um), centre_score, params.spacing_um)
    centre_px, centre_score = centre_px[apart], centre_score[apart]
    shown = ((centre_px[:, 1:] >= -0.5) & (centre_px[:, 1:] < np.array(red.shape[1:]) - 0.5)).all(1)
    return Detections(measure_regions(red, regions), centre_px[shown], centre_score[shown])


def _spread_frames(
    frame: Int[np.ndarray, " n"], grid: Grid, frames: int
) -> tuple[Int[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    """Frames of the volume, each with the regions of the network's frame that is nearest to it."""
    nearest = np.rint((np.arange(frames) - grid.first[0]) / grid.step[0]).astype(int)
    z, rows = np.nonzero(nearest[:, None] == frame[None])
    return z, rows


def _inside(box: Float[np.ndarray, "n 4"], shape: tuple[int, ...]) -> np.ndarray:
    """Boxes whose centre lies in the image."""
    centre = box[:, :2] + (box[:, 2:] - 1) / 2
    return np.asarray(((centre >= 0) & (centre <= np.array(shape[::-1]) - 1)).all(1))
