"""From the head's part of a volume to what the network sees: a grid that it knows and its own brightness."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Float32, Int, Shaped, UInt8

from cender.types import Crop, Head, VoxelSize

# Rigs whose voxels are not far from what the fast network knows are usual; the others have weights of their own.
USUAL_UM = np.array([0.76, 0.18, 0.18]), np.array([2.1, 0.42, 0.42])
DARK, BRIGHT = 10.0, 99.7
"""Percentiles of the voxels that become brightness 0 and 1."""
# Where the background was removed many voxels have the lowest value, and how many depends on the crop. The bright level
# is then where voxels, weighed by their squared brightness, reach this share: specks of noise hardly count.
EMPTY, BRIGHT_SHARE = 0.3, 0.25
STUCK = 12.0
"""Times the noise by which a pixel must exceed its neighbours to count as stuck."""
# Nuclei reach at most 4 µm beyond the hull of the head, but for one in a thousand.
MARGIN_UM = 5.0
# What is searched is given to the network in 256 levels, of which the highest is this brightness.
TOP = 2.0
# Types in which OpenCV turns frames as they are.
TURNED_TYPES = (np.uint8, np.uint16, np.int16, np.float32)
# A turned strip must spare at least a third of the crop to be worth the turning, which blurs a little.
WORTHWHILE = 0.65


@dataclass(frozen=True, slots=True)
class Grids:
    """Which distances of voxels (``z y x``) a network knows; finer and coarser ones are brought to the nearest."""

    finest_um: tuple[float, float, float]
    coarsest_um: tuple[float, float, float]

    def fit(self, shape: tuple[int, ...], voxel_um: VoxelSize) -> tuple[Int[np.ndarray, " 3"], Float[np.ndarray, " 3"]]:
        """Size of the network's grid over a part of a volume, and its steps in voxels."""
        size = np.array(voxel_um)
        step = np.clip(size, self.finest_um, self.coarsest_um) / size
        if shape[0] == 1:
            step[0] = 1.0
        fitted = np.maximum(1, np.rint(np.array(shape) / step)).astype(int)
        return fitted, np.array(shape) / fitted


# Resampling costs time and sharpness: the fast network knows grids as they come, within these bounds.
USUAL_GRIDS = Grids((0.95, 0.225, 0.225), (1.75, 0.35, 0.35))
# Nuclei have the same size in every image that is brought to one distance of pixels; frames stay as they were taken, as
# nothing between two of them is known.
ANY_GRIDS = Grids((1.0, 0.25, 0.25), (math.inf, 0.25, 0.25))
GRIDS = {"usual": USUAL_GRIDS, "any": ANY_GRIDS}
"""By the name that weights carry."""


@dataclass(frozen=True, slots=True)
class Grid:
    """How indices ``z y x`` of the network's grid lie in the full volume.

    ``full = first + index * step`` along z; in the image the grid is also turned by ``angle_rad`` (from x towards y)
    about its first pixel.
    """

    first: Float[np.ndarray, " 3"]
    step: Float[np.ndarray, " 3"]
    angle_rad: float = 0.0

    @property
    def turn(self) -> Float[np.ndarray, "2 2"]:
        """Rows: where the grid's y and x point to in the image, as ``y x``."""
        cos, sin = np.cos(self.angle_rad), np.sin(self.angle_rad)
        return np.array([[cos, -sin], [sin, cos]])

    def points_to_full(self, index: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 3"]:
        """Points of the grid in full-frame indices."""
        moved = index * self.step
        return np.asarray(self.first + np.concatenate([moved[:, :1], moved[:, 1:] @ self.turn], axis=1))

    def boxes_to_full(self, box: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, "n 4"]:
        """Boxes ``x y w h`` of the grid in full-frame pixels; a turned one as the box around its ellipse."""
        middle = box[:, [1, 0]] + (box[:, [3, 2]] - 1) / 2
        centre = self.points_to_full(np.column_stack([np.zeros(len(box)), middle]))[:, 1:]
        size = np.sqrt((box[:, [3, 2]] * self.step[1:]) ** 2 @ self.turn**2)
        return np.concatenate([(centre - (size - 1) / 2)[:, ::-1], size[:, ::-1]], axis=1)


def cut_head(
    red: Shaped[np.ndarray, "z y x"], crop: Crop, voxel_um: VoxelSize, grids: Grids = USUAL_GRIDS
) -> tuple[Float32[np.ndarray, "zn yn xn"], Grid]:
    """The head on a grid that the network knows, with brightness from about 0 to 1."""
    part, dark, bright, grid = _fit_head(red, crop, voxel_um, grids)
    return compress(part, dark, bright), grid


def _fit_head(
    red: Shaped[np.ndarray, "z y x"], crop: Crop, voxel_um: VoxelSize, grids: Grids
) -> tuple[Shaped[np.ndarray, "zn yn xn"], float, float, Grid]:
    """The head on the network's grid, its levels of brightness and the grid."""
    part = mend_pixels(red[:, crop.y : crop.y + crop.h, crop.x : crop.x + crop.w])
    dark, bright = find_levels(part)
    shape, step = grids.fit(part.shape, voxel_um)
    # Pixel areas coincide at the edges, so the first centre lies half a step minus half a pixel inside.
    first = np.array([0.0, crop.y, crop.x]) + (step - 1) / 2
    fitted = part if np.all(step == 1) else _resample(part, shape)
    return fitted, dark, bright, Grid(first, step)


def cut_strip(
    red: Shaped[np.ndarray, "z y x"], head: Head, voxel_um: VoxelSize, grids: Grids = USUAL_GRIDS
) -> tuple[UInt8[np.ndarray, "zn yn xn"], Grid]:
    """The same in levels, along the worm where that leaves out much: most of what a slanting worm's crop holds."""
    crop = head.crop
    if len(head.hull_yx) < 3 or voxel_um.y_um != voxel_um.x_um:
        part, dark, bright, grid = _fit_head(red, crop, voxel_um, grids)
        return to_levels(part, dark, bright), grid
    (centre_x, centre_y), sides, degrees = cv2.minAreaRect(head.hull_yx[:, ::-1].astype(np.float32))
    length, width = (side + 2 * MARGIN_UM / voxel_um.x_um for side in sides)
    if length * width > WORTHWHILE * crop.w * crop.h:
        part, dark, bright, grid = _fit_head(red, crop, voxel_um, grids)
        return to_levels(part, dark, bright), grid
    inside = red[:, crop.y : crop.y + crop.h, crop.x : crop.x + crop.w]
    dark, bright = find_levels(inside)
    shape, step = grids.fit((len(red), round(width), round(length)), voxel_um)
    grid = Grid(np.zeros(3), step, float(np.deg2rad(degrees)))
    middle = np.array([centre_y, centre_x])
    reach = (shape[1:] - 1) / 2 * step[1:]
    corner = middle - reach @ grid.turn
    grid = Grid(np.array([(step[0] - 1) / 2, *corner]), step, grid.angle_rad)
    # The strip's corners reach beyond the crop; they too must show what is there.
    around = np.abs(grid.turn).T @ reach + 2
    low = np.clip(np.floor(middle - around), 0, None).astype(int)
    high = np.minimum(np.ceil(middle + around) + 1, red.shape[1:]).astype(int)
    part = mend_pixels(red[:, low[0] : high[0], low[1] : high[1]])
    if shape[0] != len(part):
        part = _resample(part, np.array([shape[0], *part.shape[1:]]))
    along, down = step[2] * grid.turn[1, ::-1], step[1] * grid.turn[0, ::-1]
    move = np.column_stack([along, down, (corner - low)[::-1]])
    size = (int(shape[2]), int(shape[1]))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    # The strip has half the pixels of what it is cut from: turning comes before everything else.
    turned = part if part.dtype in TURNED_TYPES else part.astype(np.float32)
    strip = np.empty((len(part), size[1], size[0]), turned.dtype)
    for frame, target in zip(turned, strip, strict=True):
        cv2.warpAffine(frame, move, size, dst=target, flags=flags, borderValue=dark)
    return to_levels(strip, dark, bright), grid


def mend_pixels(part: Shaped[np.ndarray, "z y x"]) -> Shaped[np.ndarray, "z y x"]:
    """The same frames with stuck pixels replaced by the median of their surroundings; untouched where there are none.

    A stuck pixel stands out in the darkest value over z, where nuclei, which no one pixel wide thing crosses all frames
    of, have gone.
    """
    darkest = part.min(0).astype(np.float32)
    excess = darkest - cv2.medianBlur(darkest, 3)
    noise = 1.48 * float(np.median(np.abs(excess[::2, ::2])))
    stuck = np.argwhere(excess > STUCK * max(noise, 1e-6))
    if not len(stuck):
        return part
    mended = part.copy()
    rows, columns = part.shape[1:]
    for y, x in stuck:
        around = part[:, max(y - 1, 0) : min(y + 2, rows), max(x - 1, 0) : min(x + 2, columns)]
        mended[:, y, x] = np.median(around.reshape(len(part), -1), axis=1).astype(part.dtype)
    return mended


def find_levels(part: Shaped[np.ndarray, "z y x"]) -> tuple[float, float]:
    """Background level and brightness of the brighter nuclei."""
    some = part[:, ::2, ::4]
    if lacks_background(part):
        dark = some.min()
        lit = np.sort(some[some > dark].astype(np.float64) - dark)
        weight = np.cumsum(lit**2)
        bright = dark + (lit[np.searchsorted(weight, BRIGHT_SHARE * weight[-1])] if len(lit) else 0)
    elif some.dtype == np.uint16:
        # Sorting takes three times as long as counting; percentiles are then among the counts that occur.
        rank = np.cumsum(np.bincount(some.ravel()))
        dark, bright = np.searchsorted(rank, np.array([DARK, BRIGHT]) / 100 * (some.size - 1), side="right")
    else:
        dark, bright = np.percentile(some, (DARK, BRIGHT))
    return float(dark), float(max(bright, dark + 1e-3))


def lacks_background(part: Shaped[np.ndarray, "z y x"]) -> bool:
    """Whether the background was removed: many voxels have the very same lowest value, which noise does not leave."""
    some = part[:, ::4, ::8]
    return bool(np.count_nonzero(some == some.min()) > EMPTY * some.size)


def is_usual(red: Shaped[np.ndarray, "z y x"], crop: Crop, voxel_um: VoxelSize) -> bool:
    """Whether the rig is of the kind that most recordings come from: a usual voxel size, and a background."""
    size = np.array(voxel_um)
    fits = np.all((size >= USUAL_UM[0]) & (size <= USUAL_UM[1]))
    return bool(fits) and not lacks_background(red[:, crop.y : crop.y + crop.h, crop.x : crop.x + crop.w])


def compress(part: Shaped[np.ndarray, "z y x"], dark: float, bright: float) -> Float32[np.ndarray, "z y x"]:
    """Square root of the brightness between the two levels: noise becomes nearly even, dim nuclei visible."""
    if part.dtype == np.uint16:
        return np.asarray(compress(np.arange(65536, dtype=np.float32)[None, None], dark, bright)[0, 0][part])
    share = (part.astype(np.float32) - np.float32(dark)) / np.float32(bright - dark)
    return np.asarray(np.sqrt(np.clip(share, 0, TOP**2)))


def to_levels(part: Shaped[np.ndarray, "z y x"], dark: float, bright: float) -> UInt8[np.ndarray, "z y x"]:
    """The same brightness as levels from 0 to 255."""
    if part.dtype == np.uint16:
        return np.asarray(np.take(to_levels(np.arange(65536, dtype=np.float32)[None, None], dark, bright)[0, 0], part))
    return np.asarray(np.rint(compress(part, dark, bright) * np.float32(255 / TOP)).astype(np.uint8))


def _resample(part: Shaped[np.ndarray, "z y x"], shape: np.ndarray) -> Float32[np.ndarray, "zn yn xn"]:
    frames, rows, columns = (int(size) for size in shape)
    smaller = rows <= part.shape[1]
    flat = np.stack(
        [
            cv2.resize(
                frame.astype(np.float32),
                (columns, rows),
                interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR,
            )
            for frame in part
        ]
    )
    if frames == len(flat):
        return flat
    column = flat.reshape(len(flat), -1)
    along = cv2.INTER_AREA if frames < len(flat) else cv2.INTER_LINEAR
    # cv2 holds at most 32767 columns, and resizing is per column anyway.
    pieces = [
        cv2.resize(
            column[:, start : start + 32000],
            (min(32000, column.shape[1] - start), frames),
            interpolation=along,
        )
        for start in range(0, column.shape[1], 32000)
    ]
    return np.concatenate(pieces, axis=1).reshape(frames, rows, columns)
