"""Anchor boxes around peaks, and the corrections that turn them into regions (paper, "Region correction")."""

import numpy as np
from jaxtyping import Float, Int


def place_anchors(
    peaks: Int[np.ndarray, "n 3"], sizes_px: tuple[int, ...]
) -> tuple[Int[np.ndarray, " m"], Float[np.ndarray, "m 4"]]:
    """A square box of every size around every peak: the peak's row and the box ``x y w h``.

    Boxes at the border are not clipped: the network is trained and asked with the same anchor.
    """
    row = np.repeat(np.arange(len(peaks)), len(sizes_px))
    size = np.tile(np.array(sizes_px, float), len(peaks))
    corner = peaks[row][:, :0:-1] - np.floor(size / 2)[:, None]
    return row, np.concatenate([corner, size[:, None], size[:, None]], axis=1)


def encode_boxes(anchors: Float[np.ndarray, "n 4"], boxes: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, "n 4"]:
    """Corrections Δx, Δy, ω, η that lead from anchors to boxes."""
    size = anchors[:, 2:]
    return np.concatenate([(boxes[:, :2] - anchors[:, :2]) / size, boxes[:, 2:] / size], axis=1)


def decode_boxes(anchors: Float[np.ndarray, "n 4"], corrections: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, "n 4"]:
    """Boxes that corrections make of anchors; sizes may come out negative and are then no boxes."""
    size = anchors[:, 2:]
    return np.concatenate([corrections[:, :2] * size + anchors[:, :2], corrections[:, 2:] * size], axis=1)
