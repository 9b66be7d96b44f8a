"""Which volumes teach and which are tested: drawn from all of the recording, or from one block of time."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from cender.errors import DataError

SplitKind = Literal["random", "blocked"]
SPLITS: tuple[SplitKind, ...] = get_args(SplitKind)
SHARE_OF_TIME = 0.2
"""Length of the block that training volumes are drawn from, as a share of the recording."""
AWAY_S = 5.0
"""Test volumes lie further than this from the block."""
# Steps of the golden ratio: every further repeat puts its block far from those before it.
STEP = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Split:
    """Volumes that teach and volumes that are tested; ``block_s`` bounds the time of the former where it is blocked."""

    train: tuple[int, ...]
    test: tuple[int, ...]
    block_s: tuple[float, float] | None = None


def split_volumes(
    labelled: Collection[int], time_s: Mapping[int, float], train: int, kind: SplitKind, seed: int, repeat: int
) -> Split:
    """Volumes to learn from and to test on; the same for the same seed and repeat.

    *random*: the training volumes are drawn from all, the rest are tested. *blocked*: a contiguous fifth of
    time is drawn, the training volumes inside it, and all volumes more than 5 s outside of it are tested;
    every repeat moves the block. With fewer training volumes the draw is a part of that with more.

    Parameters
    ----------
    labelled
        Volumes with at least one identity: only these can teach, and only these can be scored.
    time_s
        Time of every volume; not needed for a random split.
    train
        Number of training volumes; 0 tests on all.
    """
    if not labelled:
        raise DataError("no volume has an identity: there is nothing to learn from and nothing to compare with")
    ordered = sorted(labelled)
    if train == 0:
        return Split((), tuple(ordered))
    rng = np.random.default_rng([seed, repeat])
    if kind == "random":
        chosen = _draw(ordered, train, rng, "the recording")
        rest = tuple(volume for volume in ordered if volume not in set(chosen))
        if not rest:
            raise DataError(f"--train {train} leaves none of the {len(ordered)} annotated volumes to test on")
        return Split(chosen, rest)
    start_s, stop_s = _place_block(ordered, time_s, seed, repeat)
    inside = [volume for volume in ordered if start_s <= time_s[volume] <= stop_s]
    chosen = _draw(inside, train, rng, f"its fifth from {start_s:.1f} to {stop_s:.1f} s")
    rest = tuple(v for v in ordered if time_s[v] < start_s - AWAY_S or time_s[v] > stop_s + AWAY_S)
    if not rest:
        raise DataError(
            f"no annotated volume lies more than {AWAY_S:g} s away from the block of {start_s:.1f} to {stop_s:.1f} s; "
            "the recording is too short for a blocked split"
        )
    return Split(chosen, rest, (start_s, stop_s))


def thin_volumes(volumes: Sequence[int], at_most: int | None) -> tuple[int, ...]:
    """At most this many of the volumes, spread evenly; all of them without a limit."""
    if at_most is None or len(volumes) <= at_most:
        return tuple(volumes)
    return tuple(volumes[int(row)] for row in np.linspace(0, len(volumes) - 1, at_most).round())


def _place_block(volumes: Sequence[int], time_s: Mapping[int, float], seed: int, repeat: int) -> tuple[float, float]:
    times = [time_s.get(volume, float("nan")) for volume in volumes]
    if not np.isfinite(times).all():
        raise DataError(
            "a blocked split needs the time of every volume: a column time_s, a rate in truth.toml, or --rate HZ"
        )
    first, last = min(times), max(times)
    length = SHARE_OF_TIME * (last - first)
    where = (float(np.random.default_rng([seed, 0x5EED]).random()) + repeat * STEP) % 1.0
    start = first + where * (last - first - length)
    return start, start + length


def _draw(volumes: Sequence[int], count: int, rng: np.random.Generator, where: str) -> tuple[int, ...]:
    if len(volumes) < count:
        raise DataError(
            f"--train {count}: only {len(volumes)} annotated volumes in {where}; ask for fewer training volumes"
        )
    return tuple(int(volume) for volume in sorted(rng.permutation(volumes)[:count]))
