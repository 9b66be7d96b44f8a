"""The default detector: one pass of a small network over the head, every frame seen with its neighbours."""

import numpy as np
from jaxtyping import Bool, Float, Int, Real, UInt8

from cender.detect.candidates import find_candidates, judge_candidates
from cender.detect.decode import decode_regions, read_boxes
from cender.detect.examine import examine_candidates
from cender.detect.measure import measure_regions
from cender.detect.network import Network
from cender.detect.normalise import Grid, cut_strip
from cender.detect.params import DetectParams
from cender.detect.still import hold_still
from cender.detect.suppression import suppress_boxes, suppress_centres
from cender.types import Detections, Head, Maps, Regions, VoxelSize

# A neuron that has no region of its own within this share of a width gets one, where the network sees at least a hint
# of it: of two neurons that touch, a frame shows one region only.
OWN_WIDTHS, HINT = 0.25, 0.15
# Centres of at least this chance may lie as close to each other as nuclei that touch.
SURE_CHANCE, TOUCHING_UM = 0.65, 1.2


def detect_regions(
    red: Real[np.ndarray, "z y x"], head: Head, voxel_um: VoxelSize, network: Network, params: DetectParams
) -> Detections:
    """Regions and neuron centres of one volume, in full-frame pixels."""
    still = hold_still(red, head.crop, voxel_um)
    image, grid = cut_strip(still.stack, still.move_head(head), voxel_um, network.grids)
    maps = network.score(image)
    centre, centre_score = _find_centres(maps, image, grid.step * np.array(voxel_um), network, params)
    # Maps reach beyond the image where its sides are no whole cells.
    shown = _inside(centre[:, 1:], image.shape[1:])
    centre, centre_score = centre[shown], centre_score[shown]
    frame, box, chance = decode_regions(maps, params.region_score)
    keep = suppress_boxes(frame, box, chance, params.overlap)
    keep &= _inside(_middle(box), image.shape[1:])
    frame, box, chance = add_boxes(maps, centre, (frame[keep], box[keep], chance[keep]))
    z, rows = _spread_frames(frame, grid, len(red))
    full = still.boxes_to_full(z, grid.boxes_to_full(box[rows]))
    inside = _inside(_middle(full), red.shape[1:])
    regions = Regions.from_boxes(z[inside], full[inside], score=chance[rows][inside])
    centre_px = still.points_to_full(grid.points_to_full(centre))
    shown = _inside(centre_px[:, 1:], red.shape[1:])
    return Detections(measure_regions(red, regions), centre_px[shown], centre_score[shown], network.neuron_judge)


def _find_centres(
    maps: Maps,
    image: UInt8[np.ndarray, "z y x"],
    step_um: Float[np.ndarray, " 3"],
    network: Network,
    params: DetectParams,
) -> tuple[Float[np.ndarray, "k 3"], Float[np.ndarray, " k"]]:
    """Centres on the network's grid that are likely enough, and how likely they are."""
    found = find_candidates(maps, step_um)
    table = examine_candidates(maps, image, found, step_um, network.looks, network.examine)
    chance = judge_candidates(table, network.judge)
    likely = chance >= params.centre_score
    centre, chance = found.centre[likely], chance[likely]
    spacing_um = np.where(chance >= SURE_CHANCE, min(TOUCHING_UM, params.spacing_um), params.spacing_um)
    apart = suppress_centres(centre * step_um, chance, spacing_um)
    return centre[apart], chance[apart]


def add_boxes(
    maps: Maps,
    centre: Float[np.ndarray, "k 3"],
    known: tuple[Int[np.ndarray, " n"], Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]],
) -> tuple[Int[np.ndarray, " m"], Float[np.ndarray, "m 4"], Float[np.ndarray, " m"]]:
    """Regions (frames, boxes, scores), and some for neurons that have none in their own frame or beside it."""
    frame, box, chance = known
    middle, side = box[:, [1, 0]] + (box[:, [3, 2]] - 1) / 2, np.sqrt(box[:, 2] * box[:, 3])
    frames, boxes, chances = [frame], [box], [chance]
    for way in (-1, 0, 1):
        z = np.rint(centre[:, 0]).astype(int) + way
        rows = np.flatnonzero((z >= 0) & (z < maps.packed.shape[3]))
        there, hint = read_boxes(maps, z[rows], centre[rows, 1:])
        apart = np.linalg.norm(centre[rows, None, 1:] - middle[None], axis=2) / side
        lacking = ~((apart < OWN_WIDTHS) & (z[rows, None] == frame[None])).any(1) & (hint >= HINT)
        frames.append(z[rows[lacking]])
        boxes.append(there[lacking])
        chances.append(hint[lacking])
    return np.concatenate(frames), np.concatenate(boxes), np.concatenate(chances)


def _spread_frames(
    frame: Int[np.ndarray, " n"], grid: Grid, frames: int
) -> tuple[Int[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    """Frames of the volume, each with the regions of the network's frame that is nearest to it."""
    nearest = np.rint((np.arange(frames) - grid.first[0]) / grid.step[0]).astype(int)
    z, rows = np.nonzero(nearest[:, None] == frame[None])
    return z, rows


def _middle(box: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, "n 2"]:
    """Centres of boxes, as ``y x``."""
    return box[:, [1, 0]] + (box[:, [3, 2]] - 1) / 2


def _inside(centre: Float[np.ndarray, "n 2"], shape: tuple[int, ...]) -> Bool[np.ndarray, " n"]:
    """Places (``y x``) that lie on a pixel of the image."""
    return np.asarray(((centre >= -0.5) & (centre < np.array(shape) - 0.5)).all(1))
