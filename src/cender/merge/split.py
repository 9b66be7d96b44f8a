"""Where a chain of linked regions is two neurons, one above the other."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.merge.depth import DepthBounds
from cender.merge.link import number_chains
from cender.types import Regions, VoxelSize
from cender.types.boxes import overlap_boxes

# Log-odds that a link joins two neurons: weights of the columns of `compare_boxes` and `_compare_profiles`. A logistic
# regression on simulated animals with seeds 1000 to 1015 (typical) and 1000 to 1011 (hard), volumes 7 and 41 of 60,
# with boxes as they are and moved at random.
LINK_WEIGHTS = np.array([-7.95, 1.48, 1.44, -1.1, 1.62, -0.28, 2.81, 1.12, 0.34, 0.57])

# Smallest intensity that is told from none, relative to the volume's median.
_FLOOR = 0.15
# How far links differ even where boxes are perfect: shift and size relative to the box, and lack of overlap.
_LEAST = np.array([0.04, 0.1, 0.12])


def split_at_minima(regions: Regions, link: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """Links without those at strict local minima of the intensity along a chain (the paper's rule).

    The region of the minimum stays with the side that it overlaps more, with the upper one if both are equal (the text
    does not say). Without measured intensities nothing is cut. Intensities are above the local background where the
    text takes the plain mean of the pixels, so that a gradient of the background along z does not cut a neuron.
    """
    before = invert_links(link)
    middle = np.flatnonzero((link >= 0) & (before >= 0))
    value = regions.intensity
    lower, upper = link[middle], before[middle]
    valley = (value[middle] < value[lower]) & (value[middle] < value[upper])
    middle, lower, upper = middle[valley], lower[valley], upper[valley]
    boxes = regions.box_px
    stays_up = overlap_boxes(boxes[middle], boxes[upper]) >= overlap_boxes(boxes[middle], boxes[lower])
    cut = link.copy()
    cut[np.where(stays_up, middle, upper)] = -1
    return cut


def split_unlikely(
    regions: Regions,
    link: Int[np.ndarray, " n"],
    drift: Float[np.ndarray, "n 2"],
    depth: DepthBounds,
    voxel_um: VoxelSize,
    cut_above: float = 0.0,
) -> Int[np.ndarray, " n"]:
    """Links without those that more likely join two neurons than one (ours).

    In every round each chain loses its most suspicious link; what is left is judged again, because each part now has
    its own length and profile.
    """
    link = link.copy()
    scene = _Scene(regions, log_intensity(regions), measure_sides(regions), depth, voxel_um)
    fixed = np.zeros(len(regions))
    rows = np.flatnonzero(link >= 0)
    fixed[rows] = compare_boxes(regions, link, drift) @ LINK_WEIGHTS[:7]
    while len(rows):
        odds = fixed[rows] + _compare_profiles(scene, link, rows) @ LINK_WEIGHTS[7:]
        chain = number_chains(link)
        worst = np.full(len(regions), -np.inf)
        np.maximum.at(worst, chain[rows], odds)
        cut = (odds > cut_above) & (odds == worst[chain[rows]])
        link[rows[cut]] = -1
        # Only the chains that were cut look different now.
        rows = rows[np.isin(chain[rows], chain[rows[cut]]) & ~cut]
    return link


def compare_boxes(
    regions: Regions, link: Int[np.ndarray, " n"], drift: Float[np.ndarray, "n 2"]
) -> Float[np.ndarray, "k 7"]:
    """How unlike the two boxes of a link are, one row per link.

    Columns: 1; shift beyond the drift, change of size and lack of overlap, each relative to the median of the volume
    (poor boxes make all links look poor); the same three as they are.
    """
    upper = np.flatnonzero(link >= 0)
    lower = link[upper]
    first, second = regions.box_px[upper], regions.box_px[lower]
    side = measure_sides(regions)
    centre = regions.centre_px[:, 1:]
    moved = first.copy()
    moved[:, :2] += drift[upper][:, ::-1]
    shift = np.linalg.norm(centre[lower] - centre[upper] - drift[upper], axis=1) / np.sqrt(side[upper] * side[lower])
    size = np.abs(np.log(np.maximum(second[:, 2:], 1e-6) / np.maximum(first[:, 2:], 1e-6))).sum(axis=1)
    apart = np.stack([shift, size, 1 - overlap_boxes(moved, second)], axis=1)
    usual = (np.median(apart, axis=0) if len(apart) else np.zeros(3)) + _LEAST
    return np.column_stack([np.ones(len(upper)), apart / usual, apart])


@dataclass(frozen=True, slots=True)
class _Scene:
    """What stays the same while chains are cut."""

    regions: Regions
    light: Float[np.ndarray, " n"]
    side: Float[np.ndarray, " n"]
    depth: DepthBounds
    voxel_um: VoxelSize


def _compare_profiles(
    scene: _Scene, link: Int[np.ndarray, " n"], rows: Int[np.ndarray, " k"]
) -> Float[np.ndarray, "k 3"]:
    """How unlike a single neuron the chains of these rows look at their links, one row per link.

    Columns: depth of the valley of intensity (log), how much better two depths fit their widths than one (log), and
    change of intensity (log).
    """
    profile = follow_profile(scene.regions.z, link, rows, scene.light, scene.side)
    light, lower = scene.light, link[rows]
    weaker = np.minimum(profile.peak_above[rows], profile.peak_below[lower])
    valley = weaker - np.minimum(light[rows], light[lower])
    deeper = _compare_depths(profile, rows, lower, scene.depth, scene.voxel_um)
    return np.stack([valley, deeper, np.abs(light[lower] - light[rows])], axis=1)


@dataclass(frozen=True, slots=True)
class Profile:
    """Along a chain, up to and including each region: brightest, number of frames and sum of sides, from both ends."""

    peak_above: Float[np.ndarray, " n"]
    peak_below: Float[np.ndarray, " n"]
    frames_above: Float[np.ndarray, " n"]
    frames_below: Float[np.ndarray, " n"]
    side_above: Float[np.ndarray, " n"]
    side_below: Float[np.ndarray, " n"]


def follow_profile(
    z: Int[np.ndarray, " n"],
    link: Int[np.ndarray, " n"],
    rows: Int[np.ndarray, " k"],
    light: Float[np.ndarray, " n"],
    side: Float[np.ndarray, " n"],
) -> Profile:
    """The profile of the chains that these linked rows make up, gathered frame by frame from both ends."""
    above, below = ([light.copy(), np.ones(len(z)), side.copy()] for _ in range(2))
    upper = rows[np.argsort(z[rows], kind="stable")]
    frames = np.split(upper, np.flatnonzero(np.diff(z[upper])) + 1)
    for sums, steps, forward in ((above, frames, True), (below, frames[::-1], False)):
        for step in steps:
            source, target = (step, link[step]) if forward else (link[step], step)
            sums[0][target] = np.maximum(sums[0][target], sums[0][source])
            sums[1][target] += sums[1][source]
            sums[2][target] += sums[2][source]
    return Profile(above[0], below[0], above[1], below[1], above[2], below[2])


def measure_sides(regions: Regions) -> Float[np.ndarray, " n"]:
    """Side of the square with the area of each box, in pixels."""
    sides: np.ndarray = np.sqrt(np.maximum(regions.box_px[:, 2] * regions.box_px[:, 3], 1e-6))
    return sides


def log_intensity(regions: Regions) -> Float[np.ndarray, " n"]:
    """Logarithm of the intensity, with a floor for regions as dark as their surroundings; 0 where none was measured."""
    known = np.isfinite(regions.intensity)
    if not known.any():
        return np.zeros(len(regions))
    usual = max(float(np.median(regions.intensity[known])), 1e-6)
    return np.where(known, np.log(np.maximum(np.where(known, regions.intensity, usual) / usual, _FLOOR)), 0.0)


def invert_links(link: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """Row of the region before each one, -1 for none."""
    before = np.full(len(link), -1)
    rows = np.flatnonzero(link >= 0)
    before[link[rows]] = rows
    return before


def _compare_depths(
    profile: Profile,
    upper: Int[np.ndarray, " k"],
    lower: Int[np.ndarray, " k"],
    depth: DepthBounds,
    voxel_um: VoxelSize,
) -> Float[np.ndarray, " k"]:
    """Log-likelihood of two neurons' depths minus that of one, from -6 to 6."""
    one, two = profile.frames_above[upper], profile.frames_below[lower]
    wide_one, wide_two = profile.side_above[upper], profile.side_below[lower]
    pixel_um = float(np.sqrt(voxel_um.y_um * voxel_um.x_um))
    parts = ((one, wide_one), (two, wide_two), (one + two, wide_one + wide_two))
    first, second, joined = (depth.rate(frames * voxel_um.z_um, sides / frames * pixel_um) for frames, sides in parts)
    better: np.ndarray = np.clip(first + second - joined, -6, 6)
    return better
