"""What a camera adds to the light: offset, fixed pattern and noise, measured on frames of a recording."""

import cv2
import numpy as np
from jaxtyping import Bool, Float, Real

PERCENTILES = (0.1, 1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 99.99)
"""Percentiles of pixel values that are compared."""
SMOOTH_PX = 8.0
"""Standard deviation of the blur before light is told from dark."""
ABOVE_COUNTS = 4.0
"""Counts above the median from which on the blurred projection shows light."""
MARGIN_PX = 61
"""Width of the square by which light is grown, so that what is left is dark."""
SPOT_COUNTS, REACH_PX = 60.0, 12
"""Least height of a spot whose profile is measured, and how far from its peak."""
Frames = Real[np.ndarray, "k y x"]


def find_light(frames: Frames) -> Bool[np.ndarray, "y x"]:
    """Where there is light: the largest patch whose smoothed brightness lies above the dark offset."""
    smooth = cv2.GaussianBlur(frames.max(0).astype(np.float32), (0, 0), SMOOTH_PX)
    bright = (smooth > np.median(smooth) + ABOVE_COUNTS).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(bright)
    if len(stats) < 2:
        return np.zeros(smooth.shape, bool)
    return np.asarray(labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])))


def measure_camera(frames: Frames) -> dict[str, float]:
    """Figures of a camera from successive frames of one volume, by name; counts.

    The fixed pattern is what the dark pixels (away from the head) have in common in all frames, less the
    share that noise leaves in a mean of so few frames.
    """
    light = find_light(frames)
    dark = cv2.dilate(light.astype(np.uint8), np.ones((MARGIN_PX, MARGIN_PX), np.uint8)) == 0
    values = frames.astype(np.float32)
    upper = np.arange(len(dark)) < len(dark) // 2
    figures = {
        "offset": float(np.mean(values[:, dark])),
        "step between halves": float(
            np.mean(values[:, dark & ~upper[:, None]]) - np.mean(values[:, dark & upper[:, None]])
        ),
        "temporal noise": float(np.sqrt(_temporal_variance(values, dark))),
        **_measure_pattern(values, dark, upper),
        "width of spots": measure_spot_width(values, float(np.median(values[:, dark]))),
    }
    for place, mask in (("inside", light), ("outside", dark)):
        levels = np.percentile(values[:, mask], PERCENTILES)
        figures |= {f"{place}, percentile {p:g}": float(v) for p, v in zip(PERCENTILES, levels, strict=True)}
    return figures


def measure_spot_width(values: Float[np.ndarray, "k y x"], dark: float) -> float:
    """Median width at half height of bright spots in pixels, each across its narrowest direction.

    Nuclei touch each other, in most directions but seldom in all of them.
    """
    reach = np.arange(REACH_PX + 1)
    ways = np.array([(0, 1), (1, 0), (1, 1), (1, -1)])
    widths = []
    for frame in values:
        # A median of nine takes hot pixels away, which are no spots.
        smooth = cv2.GaussianBlur(cv2.medianBlur(frame, 3), (0, 0), 1.0) - np.float32(dark)
        peaks = np.argwhere((smooth == cv2.dilate(smooth, np.ones((9, 9)))) & (smooth > SPOT_COUNTS))
        smooth = np.pad(smooth, REACH_PX)
        for y, x in peaks + REACH_PX:
            sides = [smooth[y + sign * way[0] * reach, x + sign * way[1] * reach] for way in ways for sign in (1, -1)]
            half = np.array([np.argmax(side < smooth[y, x] / 2) or REACH_PX for side in sides]).reshape(4, 2).sum(1)
            widths.append(float(np.min((half - 1) * np.linalg.norm(ways, axis=1))))
    return float(np.median(widths)) if widths else float("nan")


def _temporal_variance(values: Float[np.ndarray, "k y x"], dark: Bool[np.ndarray, "y x"]) -> float:
    return float(np.mean(np.var(values[:, dark], axis=0, ddof=1)))


def _measure_pattern(
    values: Float[np.ndarray, "k y x"], dark: Bool[np.ndarray, "y x"], upper: Bool[np.ndarray, " y"]
) -> dict[str, float]:
    """Fixed pattern of columns (each half of the sensor has its own), rows and single pixels, sd."""
    noise = _temporal_variance(values, dark) / len(values)
    mean = values.mean(0)
    # Slow shading and stray light are no pattern: both are taken off by a wide running mean over dark pixels.
    weight = cv2.GaussianBlur(dark.astype(np.float32), (0, 0), 24)
    slow = cv2.GaussianBlur(np.where(dark, mean, 0).astype(np.float32), (0, 0), 24) / np.maximum(weight, 1e-6)
    flat = np.where(dark, mean - slow, np.nan)
    columns = np.stack([_line_means(flat[upper], 0), _line_means(flat[~upper], 0)])
    rest = flat - np.nan_to_num(columns)[np.where(upper, 0, 1)]
    rows = _line_means(rest, 1)
    rest = rest - np.nan_to_num(rows)[:, None]
    pixel = float(np.nanvar(rest[np.abs(rest) < 60]))
    in_column, in_row = pixel / (len(mean) / 2), pixel / mean.shape[1]
    return {
        "pattern of columns": _excess(float(np.nanvar(columns)), in_column),
        "pattern of rows": _excess(float(np.nanvar(rows)), in_row),
        "pattern of pixels": _excess(pixel, noise),
    }


def _line_means(image: Float[np.ndarray, "y x"], axis: int) -> Float[np.ndarray, " n"]:
    """Means along an axis where at least half of the pixels are dark, else NaN."""
    known = np.isfinite(image).sum(axis)
    total = np.nansum(image, axis)
    return np.where(known >= image.shape[axis] / 2, total / np.maximum(known, 1), np.nan)


def _excess(variance: float, expected: float) -> float:
    return float(np.sqrt(max(variance - expected, 0.0)))
