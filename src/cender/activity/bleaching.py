"""How a channel fades under the light, from the levels of all identities together."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy.optimize import least_squares

Model = Literal["none", "mono", "bi"]
LEAST_S, BIN_S, MOST_BINS = 40.0, 4.0, 100
"""Shortest recording in which bleaching can be seen, and time bins of so many seconds, at most so many."""
# Activity brightens now and then; the quieter part of every stretch of time shows the dye itself.
QUIET_QUANTILE = 0.3
FEWEST_IDENTITIES, FEWEST_BINS = 5, 8
"""Identities that must be seen, in the recording and in each time bin that counts, and time bins that must count."""
# Share of the bins in which an identity has to be seen, and of the identities that have to fall together.
LEAST_SEEN, LEAST_FALLING = 0.5, 0.7
# Evidence (difference in BIC) that a model must have over a simpler one.
CLEARLY_BIC = 6.0
# Scatter of log levels that is assumed at least, and rounds of median polish.
LEAST_SD = 0.003
POLISHES = 8
"""Rounds of taking medians of identities and of time bins in turn."""


@dataclass(frozen=True, slots=True)
class Bleaching:
    """Brightness of a channel relative to the start of the recording: ``sum(share * exp(-t / lasting_s))``.

    ``times_s``, ``level`` and ``fit`` are the measured levels that the curve was fitted to, with the curve there. A
    model ``none`` corrects nothing; ``reason`` says why.
    """

    model: Model
    share: Float[np.ndarray, " j"]
    lasting_s: Float[np.ndarray, " j"]
    start_s: float
    times_s: Float[np.ndarray, " b"]
    level: Float[np.ndarray, " b"]
    fit: Float[np.ndarray, " b"]
    reason: str = ""

    def left_at(self, time_s: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
        """What bleaching has left at these times, 1 at the start."""
        if self.model == "none":
            return np.ones(len(time_s))
        since = np.where(np.isfinite(time_s), time_s, self.start_s) - self.start_s
        return _curve(since, self.share, self.lasting_s)

    @classmethod
    def absent(cls, reason: str) -> "Bleaching":
        """No bleaching, and nothing that it was fitted to."""
        none = np.zeros(0)
        return cls("none", none, none, 0.0, none, none, none, reason)


def fit_bleaching(light: Float[np.ndarray, "k t"], time_s: Float[np.ndarray, " t"]) -> Bleaching:
    """Bleaching of one channel: none, one exponential or the sum of two, whichever the levels call for.

    Only a fall that most identities share and that looks like bleaching is taken for it: a level that rises, jumps or
    wanders with the animal is left alone.

    Parameters
    ----------
    light
        Background-subtracted means of every identity, NaN where unknown.
    time_s
        Time of every column.
    """
    known = np.isfinite(time_s)
    span = float(np.ptp(time_s[known])) if known.any() else 0.0
    if span < LEAST_S:
        return Bleaching.absent(f"{span:.0f} s are too short to see bleaching ({LEAST_S:.0f} s are needed)")
    start = float(time_s[known].min())
    levels, centre_s = _take_levels(light[:, known], time_s[known] - start, span)
    kept = np.isfinite(levels).mean(axis=1) >= LEAST_SEEN
    if kept.sum() < FEWEST_IDENTITIES:
        return Bleaching.absent(f"only {int(kept.sum())} identities are seen for most of the time")
    common, seen = _polish(levels[kept])
    if seen.sum() < FEWEST_BINS:
        return Bleaching.absent("too few stretches of time have enough identities")
    return _choose(common[seen], centre_s[seen], levels[kept][:, seen], start, span)


def _take_levels(
    light: Float[np.ndarray, "k t"], since_s: Float[np.ndarray, " t"], span: float
) -> tuple[Float[np.ndarray, "k b"], Float[np.ndarray, " b"]]:
    """Logarithm of the quiet level of every identity in every stretch of time."""
    count = int(np.clip(span / BIN_S, FEWEST_BINS, MOST_BINS))
    part = np.minimum((since_s / span * count).astype(int), count - 1)
    logs = np.log(np.where(np.isfinite(light) & (light > 0), light, np.nan))
    levels = np.full((len(light), count), np.nan)
    for one in range(count):
        ordered = np.sort(logs[:, part == one], axis=1)
        number = np.isfinite(ordered).sum(axis=1)
        rows = np.flatnonzero(number > 0)
        levels[rows, one] = ordered[rows, (QUIET_QUANTILE * (number[rows] - 1)).astype(int)]
    return levels, (np.arange(count) + 0.5) * span / count


def _polish(levels: Float[np.ndarray, "k b"]) -> tuple[Float[np.ndarray, " b"], np.ndarray]:
    """What all identities have in common over time (median polish), and where enough of them are seen."""
    seen = np.isfinite(levels).sum(axis=0) >= FEWEST_IDENTITIES
    rest = levels[:, seen]
    rest = rest[np.isfinite(rest).any(axis=1)]
    common = np.zeros(rest.shape[1])
    if not rest.size:
        return np.zeros(levels.shape[1]), np.zeros(levels.shape[1], bool)
    for _ in range(POLISHES):
        own = np.nanmedian(rest - common, axis=1)
        common = np.nanmedian(rest - own[:, None], axis=0)
    whole = np.full(levels.shape[1], np.nan)
    whole[seen] = common
    return whole, seen


def _choose(
    common: Float[np.ndarray, " b"],
    since_s: Float[np.ndarray, " b"],
    levels: Float[np.ndarray, "k b"],
    start: float,
    span: float,
) -> Bleaching:
    models: tuple[Model, ...] = ("none", "mono", "bi")
    fits = {model: _fit(model, common, since_s, span) for model in models}
    independent = _count_independent(fits["bi"][1])
    evidence = {model: _weigh(*fits[model], independent) for model in models}
    best: Model = "none"
    for model in models:
        if evidence[model] < evidence[best] - CLEARLY_BIC:
            best = model
    reason = "" if best != "none" else "no fall of the levels stands out from their fluctuation"
    third = max(len(common) // 3, 1)
    falls = _median(levels[:, -third:]) < _median(levels[:, :third])
    if best != "none" and falls.mean() < LEAST_FALLING:
        best, reason = "none", f"only {falls.mean():.0%} of the identities get dimmer"
    values = fits[best][0]
    share, lasting = _unpack(best, values)
    # The levels are shown relative to the curve's own start, where nothing has bleached yet.
    level = np.exp(common - values[0])
    return Bleaching(best, share, lasting, start, since_s + start, level, _curve(since_s, share, lasting), reason)


def _median(levels: Float[np.ndarray, "k b"]) -> Float[np.ndarray, " k"]:
    middle = np.full(len(levels), np.nan)
    some = np.isfinite(levels).any(axis=1)
    middle[some] = np.nanmedian(levels[some], axis=1)
    return middle


def _fit(
    model: Model, common: Float[np.ndarray, " b"], since_s: Float[np.ndarray, " b"], span: float
) -> tuple[Float[np.ndarray, " p"], Float[np.ndarray, " b"]]:
    """Parameters of a model by a robust fit, and what it leaves, outliers pulled in."""
    start = float(np.median(common[: max(len(common) // 5, 1)]))
    # Slower than a third of the recording, so that what is left never falls below a twentieth; the fast part is small
    # enough to be a part, and slow enough not to follow single events.
    guess, low, high = {
        "none": ([start], [-np.inf], [np.inf]),
        "mono": ([start, np.log(2 * span)], [-np.inf, np.log(span / 3)], [np.inf, np.log(100 * span)]),
        "bi": (
            [start, np.log(5 * span), np.log(span / 3), 0.3],
            [-np.inf, np.log(span / 3), np.log(span / 15), 0.02],
            [np.inf, np.log(100 * span), np.log(span), 0.9],
        ),
    }[model]

    def miss(values: Float[np.ndarray, " p"]) -> Float[np.ndarray, " b"]:
        return np.asarray(values[0] + np.log(_curve(since_s, *_unpack(model, values))) - common)

    scale = max(1.4826 * float(np.median(np.abs(np.diff(common)))) / np.sqrt(2), LEAST_SD)
    solved = least_squares(miss, guess, bounds=(low, high), loss="soft_l1", f_scale=scale)
    rest = miss(solved.x)
    spread = max(1.4826 * float(np.median(np.abs(rest))), LEAST_SD)
    clipped = np.clip(rest, -4 * spread, 4 * spread)
    return np.asarray(solved.x), clipped


def _count_independent(rest: Float[np.ndarray, " b"]) -> float:
    """How many levels are independent of the one before, from what the fullest model leaves."""
    if np.ptp(rest) == 0:
        return float(len(rest))
    following = float(np.clip(np.corrcoef(rest[1:], rest[:-1])[0, 1], 0, 0.9))
    return max(len(rest) * (1 - following) / (1 + following), 4.0)


def _weigh(values: Float[np.ndarray, " p"], rest: Float[np.ndarray, " b"], independent: float) -> float:
    """BIC of a fit; lower is better."""
    variance = float(np.mean(rest**2)) + LEAST_SD**2
    return float(independent * np.log(variance) + len(values) * np.log(independent))


def _unpack(model: Model, values: Float[np.ndarray, " p"]) -> tuple[Float[np.ndarray, " j"], Float[np.ndarray, " j"]]:
    if model == "none":
        return np.zeros(0), np.zeros(0)
    if model == "mono":
        return np.ones(1), np.exp(values[1:2])
    return np.array([1 - values[3], values[3]]), np.exp(values[1:3])


def _curve(
    since_s: Float[np.ndarray, " t"], share: Float[np.ndarray, " j"], lasting_s: Float[np.ndarray, " j"]
) -> Float[np.ndarray, " t"]:
    if not len(share):
        return np.ones(len(since_s))
    return np.asarray((share[:, None] * np.exp(-since_s / lasting_s[:, None])).sum(axis=0))
