"""The complete truth of a simulated volume: boxes, neurons, head and ratio.

A box exists in a frame where the noise-free nucleus reaches 25 % of its own peak over z and twice the local
noise; its edges bound the pixels above half of that frame's peak. A neuron with no box is absent from that
volume.
"""

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.simulate.background import COARSE_PX, Glow, draw_background
from cender.simulate.motion import bend_centre_line, place_points
from cender.simulate.rendering import RED
from cender.simulate.scene import Spots, draw_spots
from cender.simulate.world import OTHER, World
from cender.types import Annotation, Crop, Head, Regions, VoxelSize

SHARE_OF_PEAK = 0.25
"""Share of its own peak over z that a nucleus must reach in a frame to have a box there."""
TIMES_NOISE = 2.0
"""Times the local noise that it must reach as well."""
HEAD_UM = 112.0
"""How far from the nose the head's outline goes."""
NECK_UM, NOSE_UM = 100.0, 20.0
"""Points of the centre line between which the anterior direction is measured."""


def annotate_volume(world: World, volume: int) -> Annotation:
    """Everything that is true of one volume."""
    spots, glow = world.see(volume)
    spots = spots.select(spots.neuron < len(world.animal))
    patches, corners = draw_spots(spots, world.patch)
    peak = patches.max((1, 2))
    above = patches > 0.5 * peak[:, None, None]
    box = _bound(above, corners)
    light = peak * spots.share * world.counts(volume, RED)[spots.neuron]
    own_peak = np.zeros(len(world.animal))
    np.maximum.at(own_peak, spots.neuron, light)
    seen = light >= SHARE_OF_PEAK * own_peak[spots.neuron]
    seen &= light >= TIMES_NOISE * _local_noise(world, volume, spots, glow)
    seen &= _inside(box, world.params.shape[1:])
    spots, box, light = spots.select(seen), box[seen], light[seen]
    present, neuron = np.unique(spots.neuron, return_inverse=True)
    regions = Regions(spots.frame, box, np.ones(len(box)), neuron, light)
    centre = _weighted_centre(regions, len(present)) * np.array(world.params.voxel_um)
    return Annotation(
        volume,
        centre,
        world.animal.identity[present],
        np.ones(len(present)),
        regions,
        find_head(world, volume, centre, world.animal.cord[present]),
        voxel_um=VoxelSize(*world.params.voxel_um),
    )


def find_others_um(world: World, volume: int) -> Float[np.ndarray, "n 3"]:
    """Centres of another animal's nuclei in one volume: neurons, but none of those that are asked for."""
    spots, _ = world.see(volume)
    spots = spots.select(world.shining.identity[spots.neuron] == OTHER)
    known, row = np.unique(spots.neuron, return_inverse=True)
    weight = np.bincount(row, spots.share, len(known))
    place = np.column_stack([spots.frame, spots.centre_px])
    total = np.stack([np.bincount(row, spots.share * axis, len(known)) for axis in place.T], axis=1)
    return np.asarray(total / weight[:, None] * np.array(world.params.voxel_um))


def _bound(above: Bool[np.ndarray, "p s s"], corners: Int[np.ndarray, "p 2"]) -> Float[np.ndarray, "p 4"]:
    """Smallest box around the marked pixels, as ``x y w h``."""
    rows, columns = np.asarray(above.any(2)), np.asarray(above.any(1))
    size = above.shape[1]
    top, left = rows.argmax(1), columns.argmax(1)
    height = size - rows[:, ::-1].argmax(1) - top
    width = size - columns[:, ::-1].argmax(1) - left
    return np.stack([corners[:, 1] + left, corners[:, 0] + top, width, height], axis=1).astype(float)


def _inside(box: Float[np.ndarray, "p 4"], shape: tuple[int, int]) -> Bool[np.ndarray, " p"]:
    """Boxes that lie in the image as a whole."""
    x, y, w, h = box.T
    return np.asarray((x >= 0) & (y >= 0) & (x + w <= shape[1]) & (y + h <= shape[0]))


def _local_noise(world: World, volume: int, spots: Spots, glow: Glow) -> Float[np.ndarray, " p"]:
    """Noise of a pixel under each spot if the nucleus were not there."""
    camera = world.params.camera
    behind = np.zeros(len(spots.frame))
    counts = world.counts(volume, RED)[: len(world.animal)]
    for frame in range(world.params.shape[0]):
        mine = spots.frame == frame
        coarse = draw_background(world.params, glow, world.tissue, counts, frame)
        index = np.rint(spots.centre_px[mine] / COARSE_PX).astype(int)
        index = np.clip(index, 0, np.array(coarse.shape) - 1)
        behind[mine] = coarse[tuple(index.T)]
    return np.sqrt(camera.read_noise**2 + camera.gain * behind)


def _weighted_centre(regions: Regions, count: int) -> Float[np.ndarray, "m 3"]:
    total = np.zeros((count, 3))
    weight = np.zeros(count)
    np.add.at(total, regions.neuron, regions.centre_px * regions.intensity[:, None])
    np.add.at(weight, regions.neuron, regions.intensity)
    return total / np.maximum(weight, 1e-9)[:, None]


def find_head(world: World, volume: int, centre_um: Float[np.ndarray, "m 3"], cord: Bool[np.ndarray, " m"]) -> Head:
    """The head's outline and axes in the middle of the volume's scan.

    Anterior is the direction from 100 µm to 20 µm behind the nose; ventral is at right angles to it, on the
    side where the ventral side of the lateral ganglia lies (a twist may turn it over).
    """
    params, motion = world.params, world.motion
    voxel = VoxelSize(*params.voxel_um)
    step = volume * motion.steps_per_volume + params.shape[0] // 2
    line, _ = bend_centre_line(motion, slice(step, step + 1))
    spine = line[0] * (1, -1 if params.optics.mirrored else 1)
    anterior = spine[int(NOSE_UM / 2)] - spine[int(NECK_UM / 2)]
    anterior /= np.linalg.norm(anterior)
    probes = np.array([[72.0, 8.0, 0.0], [72.0, -8.0, 0.0]])
    dorsal, ventral = place_points(motion, probes, slice(step, step + 1))[0, :, 1:]
    across = (ventral - dorsal) * (1, -1 if params.optics.mirrored else 1)
    side = np.array([anterior[1], -anterior[0]])
    side *= np.sign(across @ side) or 1.0
    frame = params.shape[0] // 2
    _, glow = world.see(volume)
    along = world.tissue.outline_adl[:, 0]
    outline = glow.outline.centre_px[frame][along <= HEAD_UM]
    head = centre_um[~cord] if (~cord).any() else centre_um
    middle = (np.array(params.shape[1:]) - 1) / 2
    origin = head[:, 1:].mean(0) / voxel[1:] if len(head) else middle
    low = np.clip(np.floor(outline.min(0)), 0, np.array(params.shape[1:]) - 1).astype(int)
    high = np.clip(np.ceil(outline.max(0)) + 1, low + 1, params.shape[1:]).astype(int)
    crop = Crop(int(low[1]), int(low[0]), int(high[1] - low[1]), int(high[0] - low[0]))
    return Head(crop, outline, origin, anterior, side)
