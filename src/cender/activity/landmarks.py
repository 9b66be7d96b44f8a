"""Spots that both channels show, to bring the two together."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32, Int, Real
from scipy.fft import irfft2, rfft2

from cender.types import Stack

SMALL_PX, LARGE_PX = 1.5, 6.0
"""Standard deviations of the two blurs whose difference shows spots of a nucleus' size."""
# Brightest spots of a volume that are matched, and how far they are apart at least.
SPOTS = 60
APART_PX = 9
"""Side of the square in which a spot must be the brightest pixel."""
PATCH_PX, SEARCH_PX = 12, 12
"""Half the side of the patch of red that is looked for in green, and how far around its place."""
# Correlation from which on a patch is found again; shift between the channels at most, as a share of the image.
LEAST_MATCH = 0.5
LARGEST_SHIFT_SHARE = 0.25
"""Largest shift between the channels that is considered, as a share of the frame's side."""
# Shifts along z in frames that are tried.
DEPTHS = (-2, -1, 0, 1, 2)
# A shift along z must fit clearly better than none: scanned together, two cameras have none.
CLEARLY_SHARE = 0.05

Picture = tuple[Float32[np.ndarray, "y x"], Float32[np.ndarray, "y x"]]
# Pixels across the columns in which brightness is followed along z.
COLUMN_PX = 4


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is kept of a volume: its sharpened projections, and both channels in columns, ``z y x``."""

    picture: Picture
    red: Float32[np.ndarray, "z h w"]
    green: Float32[np.ndarray, "z h w"]


@dataclass(frozen=True, slots=True)
class Landmarks:
    """Points of red, where green shows the same, and the sample volume that they were seen in."""

    red_yx: Float[np.ndarray, "k 2"]
    green_yx: Float[np.ndarray, "k 2"]
    sample: Int[np.ndarray, " k"]


def draw_sketch(stack: Stack) -> Sketch | None:
    """Red and green projections in which spots of a nucleus' size stand out, None where nothing does."""
    if stack.red is None or stack.green is None or stack.red.shape != stack.green.shape:
        return None
    pair = (_sharpen(stack.red), _sharpen(stack.green))
    if not all(float(np.ptp(one)) > 0 and bool(np.isfinite(one).all()) for one in pair):
        return None
    return Sketch(pair, _shrink(stack.red), _shrink(stack.green))


def _shrink(channel: Real[np.ndarray, "z y x"]) -> Float32[np.ndarray, "z h w"]:
    rows, columns = (max(size // COLUMN_PX, 1) for size in channel.shape[1:])
    native = channel if channel.dtype in (np.uint8, np.uint16, np.float32) else channel.astype(np.float32)
    frames = [cv2.resize(frame, (columns, rows), interpolation=cv2.INTER_AREA) for frame in native]
    return np.asarray(frames, np.float32).reshape(len(frames), rows, columns)


def _sharpen(channel: Real[np.ndarray, "z y x"]) -> Float32[np.ndarray, "y x"]:
    # Whole frames at a time: over the first axis numpy itself is several times slower.
    projection = reduce(np.maximum, channel).astype(np.float32)
    around = np.ones((3, 3), np.uint8)
    around[1, 1] = 0
    projection = np.minimum(projection, cv2.dilate(projection, around))
    band = cv2.GaussianBlur(projection, (0, 0), SMALL_PX) - cv2.GaussianBlur(projection, (0, 0), LARGE_PX)
    some = band[::3, ::3]
    noise = 1.4826 * float(np.median(np.abs(some - np.median(some))))
    # The root keeps a few very bright or very active neurons from deciding everything.
    return np.asarray(np.sqrt(np.clip(band / max(noise, 1e-6) - 2, 0, None)), np.float32)


def find_shift(pictures: Sequence[Picture]) -> Float[np.ndarray, " 2"]:
    """Shift ``y x`` of green against red at which the two look most alike over all pictures."""
    shape = pictures[0][0].shape
    total = np.zeros((shape[0], shape[1] // 2 + 1), np.complex64)
    for red, green in pictures:
        if red.shape == shape:
            cross = np.conj(rfft2(red)) * rfft2(green)
            total += cross / np.maximum(np.sqrt(np.abs(cross)), np.float32(1e-9))
    alike = irfft2(total, s=shape)
    steps = [np.fft.fftfreq(size, 1 / size) for size in shape]
    near = [np.abs(step) <= max(LARGEST_SHIFT_SHARE * len(step), 1) for step in steps]
    alike = np.where(near[0][:, None] & near[1][None], alike, -np.inf)
    row, column = np.unravel_index(int(alike.argmax()), shape)
    return np.array([steps[0][row], steps[1][column]])


def match_landmarks(
    pictures: Sequence[Picture], spots: Sequence[Int[np.ndarray, "_ 2"]], matrix: Float[np.ndarray, "2 3"]
) -> Landmarks:
    """Spots of red, and where green shows the same surroundings, near the place that a map expects."""
    red_yx: list[tuple[float, float]] = []
    green_yx: list[tuple[float, float]] = []
    sample: list[int] = []
    for number, (red, green) in enumerate(pictures):
        for y, x in spots[number]:
            expected = np.rint(matrix[:, :2] @ (y, x) + matrix[:, 2]).astype(int)
            offset = _find_patch(red, green, (int(y), int(x)), (int(expected[0]), int(expected[1])))
            if offset is not None:
                red_yx.append((float(y), float(x)))
                green_yx.append((expected[0] + offset[0], expected[1] + offset[1]))
                sample.append(number)
    return Landmarks(
        np.array(red_yx, float).reshape(-1, 2), np.array(green_yx, float).reshape(-1, 2), np.array(sample, int)
    )


def find_spots(picture: Float32[np.ndarray, "y x"]) -> Int[np.ndarray, "s 2"]:
    """The brightest spots of a picture, away from its edge."""
    highest = cv2.dilate(picture, np.ones((APART_PX, APART_PX), np.uint8))
    edge = PATCH_PX
    inner = np.zeros(picture.shape, bool)
    inner[edge:-edge, edge:-edge] = True
    rows, columns = np.divmod(np.flatnonzero((picture == highest) & (picture > 0) & inner), picture.shape[1])
    order = np.argsort(-picture[rows, columns], kind="stable")[:SPOTS]
    return np.stack([rows[order], columns[order]], axis=1)


def _find_patch(
    red: Float32[np.ndarray, "y x"], green: Float32[np.ndarray, "y x"], at: tuple[int, int], expected: tuple[int, int]
) -> tuple[float, float] | None:
    """Offset from the expected place at which green shows the patch around a red spot; None where it does not."""
    y, x = at
    patch = red[y - PATCH_PX : y + PATCH_PX + 1, x - PATCH_PX : x + PATCH_PX + 1]
    reach = PATCH_PX + SEARCH_PX
    top, left = expected[0] - reach, expected[1] - reach
    if top < 0 or left < 0 or top + 2 * reach + 1 > green.shape[0] or left + 2 * reach + 1 > green.shape[1]:
        return None
    field = green[top : top + 2 * reach + 1, left : left + 2 * reach + 1]
    if float(np.ptp(field)) == 0 or float(np.ptp(patch)) == 0:
        return None
    alike = cv2.matchTemplate(np.ascontiguousarray(field), np.ascontiguousarray(patch), cv2.TM_CCOEFF_NORMED)
    row, column = np.unravel_index(int(alike.argmax()), alike.shape)
    inside = 0 < row < alike.shape[0] - 1 and 0 < column < alike.shape[1] - 1
    if not inside or not alike[row, column] >= LEAST_MATCH:
        return None
    dy = _find_vertex(*alike[row - 1 : row + 2, column].tolist())
    dx = _find_vertex(*alike[row, column - 1 : column + 2].tolist())
    return float(row - SEARCH_PX + dy), float(column - SEARCH_PX + dx)


def _find_vertex(before: float, here: float, after: float) -> float:
    """Where a parabola through three values is highest, from the middle one."""
    bend = before - 2 * here + after
    return 0.5 * (before - after) / bend if bend < 0 else 0.0


def measure_depth_shift(sketches: Sequence[Sketch], landmarks: Landmarks, agreeing: Bool[np.ndarray, " k"]) -> int:
    """Frames by which green lies behind red, 0 unless another shift fits clearly better."""
    score = np.zeros(len(DEPTHS))
    for number, sketch in enumerate(sketches):
        mine = agreeing & (landmarks.sample == number)
        if not mine.any() or len(sketch.red) < 6:
            continue
        height, width = sketch.picture[0].shape
        red = _take_depth_profiles(sketch.red, landmarks.red_yx[mine] / (height, width))
        green = _take_depth_profiles(sketch.green, landmarks.green_yx[mine] / (height, width))
        for index, depth in enumerate(DEPTHS):
            low, high = max(0, -depth), len(red) - max(0, depth)
            score[index] += _correlate(red[low:high], green[low + depth : high + depth])
    best = int(score.argmax())
    none = DEPTHS.index(0)
    return DEPTHS[best] if score[best] > score[none] + CLEARLY_SHARE * abs(score[none]) else 0


def _take_depth_profiles(
    columns: Float32[np.ndarray, "z h w"], share_yx: Float[np.ndarray, "k 2"]
) -> Float[np.ndarray, "z k"]:
    """Brightness along z at some points, given as shares of height and width."""
    size = np.array(columns.shape[1:])
    row, column = np.clip((share_yx * size).astype(int), 0, size - 1).T
    return columns[:, row, column].astype(float)


def _correlate(first: Float[np.ndarray, "z k"], second: Float[np.ndarray, "z k"]) -> float:
    """Sum over points of the correlation of their profiles."""
    first, second = first - first.mean(axis=0), second - second.mean(axis=0)
    scale = np.linalg.norm(first, axis=0) * np.linalg.norm(second, axis=0)
    return float(((first * second).sum(axis=0) / np.maximum(scale, 1e-9)).sum())
