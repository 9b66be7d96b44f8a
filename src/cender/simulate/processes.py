"""Random processes in time, each a prefix of its longer self: more volumes never change the earlier ones."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.signal import lfilter


class Events(NamedTuple):
    """Things that begin, last and end: start and duration in seconds, and a signed size."""

    start_s: Float[np.ndarray, " n"]
    duration_s: Float[np.ndarray, " n"]
    size: Float[np.ndarray, " n"]

    def envelope(self, times_s: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
        """Sum of the events' sizes, each rising and falling like a raised cosine."""
        total = np.zeros(len(times_s))
        for start, duration, size in zip(*self, strict=True):
            first, last = np.searchsorted(times_s, (start, start + duration))
            phase = (times_s[first:last] - start) / duration
            total[first:last] += size * 0.5 * (1 - np.cos(2 * np.pi * phase))
        return total


def draw_events(
    per_min: float,
    until_s: float,
    duration_s: tuple[float, float],
    size: tuple[float, float],
    rng: np.random.Generator,
) -> Events:
    """Events at random moments; sizes are uniform within bounds, with a random sign."""
    found: list[tuple[float, float, float]] = []
    now = -duration_s[1]
    while per_min > 0:
        now += rng.exponential(60 / per_min)
        lasts, big, sign = rng.uniform(*duration_s), rng.uniform(*size), rng.choice((-1.0, 1.0))
        if now >= until_s:
            break
        found.append((now, float(lasts), float(big * sign)))
    columns = np.array(found).reshape(-1, 3).T
    return Events(columns[0], columns[1], columns[2])


def draw_smooth(
    steps: int, step_s: float, lasting_s: float, rng: np.random.Generator, columns: int = 1
) -> Float[np.ndarray, "t k"]:
    """Smooth noise of unit variance that forgets itself after about ``lasting_s``, one column per process.

    A first-order process applied twice: differentiable, so that nothing jerks between two camera frames.
    """
    keep = np.exp(-step_s / (lasting_s / 2))
    warm_up = int(6 * lasting_s / step_s) + 1
    noise = rng.standard_normal((warm_up + steps, columns))
    slow = lfilter([1.0], [1.0, -2 * keep, keep**2], noise, axis=0)
    variance = (1 + keep**2) / (1 - keep**2) ** 3
    return np.asarray(slow[warm_up:] / np.sqrt(variance))


def draw_steps(
    per_min: float, size: float, times_s: Float[np.ndarray, " t"], relax_s: float, rng: np.random.Generator
) -> Float[np.ndarray, "t 2"]:
    """Sudden two-dimensional steps that relax exponentially."""
    total = np.zeros((len(times_s), 2))
    now = 0.0
    while per_min > 0:
        now += rng.exponential(60 / per_min)
        step = rng.normal(0, size, 2)
        if now >= times_s[-1]:
            break
        first = np.searchsorted(times_s, now)
        total[first:] += step * np.exp(-(times_s[first:, None] - now) / relax_s)
    return total
