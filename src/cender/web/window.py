"""Brightness as a screen shows it: one window for each channel of a recording, the same in every volume."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Shaped, UInt8, UInt16


@dataclass(frozen=True, slots=True)
class Window:
    """Brightness that is shown black, and that is shown full."""

    low: float
    high: float


def find_window(samples: Sequence[Shaped[np.ndarray, "_ _ _"]]) -> Window:
    """The window that shows the background dark and few neurons saturated."""
    values = np.concatenate([stack[::2, ::2, ::2].ravel() for stack in samples]) if samples else np.zeros(1)
    low, high = np.percentile(values, (60, 99.95))
    return Window(float(low), float(max(high, low + 1)))


def show_8bit(stack: Shaped[np.ndarray, "z y x"], window: Window) -> UInt8[np.ndarray, "z y x"]:
    """Brightness from 0 to 255 within the window."""
    scale = np.float32(255 / (window.high - window.low))
    scaled = stack.astype(np.float32)
    # In place: fresh memory for every step would take longer than the arithmetic.
    scaled -= np.float32(window.low)
    scaled *= scale
    np.clip(scaled, 0, 255, out=scaled)
    return np.asarray(scaled.astype(np.uint8))


def show_16bit(stack: Shaped[np.ndarray, "z y x"]) -> UInt16[np.ndarray, "z y x"]:
    """Brightness as it was recorded, in little-endian 16 bit; what does not fit is cut off."""
    if stack.dtype == np.uint16:
        return np.asarray(stack.astype("<u2", copy=False))
    return np.asarray(np.clip(np.nan_to_num(stack), 0, 65535).astype("<u2"))


def describe_windows(windows: Mapping[str, Window]) -> dict[str, list[float]]:
    """The windows by channel, as the page takes them."""
    return {name: [one.low, one.high] for name, one in windows.items()}
