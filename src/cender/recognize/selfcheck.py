"""How far the identities of a recording can be trusted, without knowing the truth: do its volumes agree?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from cender.recognize.frame import place_points
from cender.recognize.judge import judge_volume
from cender.recognize.links import link_volumes
from cender.recognize.model import Recognition
from cender.types import Annotation, Identities

GAP = 11
"""Volumes between those that are compared: such pairs were not linked when identities were found (`links.OFFSETS`)."""
PAIRS = 60
"""Pairs of volumes that are compared at most."""
FEWEST_PAIRS = 30
"""Pairs of neurons below which nothing is said."""
SHIFT, SPREAD = 0.38, 0.55
"""Log-odds by which the accuracy is above the mean probability of identities, and their error.

In simulated recordings (`cender.training.shipped.trust`) the shift is 0.77, as spurious findings that get improbable
identities do not count as neurons; in a real one with noisy labels (NeRVE, volumes 1 to 98) it is 0. This is the
middle.
"""


FEW_VOLUMES, FEW_SHIFT, FEW_SPREAD = 12, -0.2, 0.9
"""The same for recordings of fewer volumes than this, in which little bears a volume out.

In four and nine volumes of NeRVE and of another laboratory's moving head, as they are and corrupted, with none or one
of them annotated (`cender bench identity`), the accuracy is 0.2 below the mean probability on average, and differs from
that by 0.65 (sd): up to 1.3 below where one volume was annotated, at most 1.2 above where none was.
"""


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """What a recording says of its own identities, as shares between 0 and 1.

    ``agreement``: of the recognized neurons that lie in the same place in two volumes laid over each other, how many
    have the same identity in both, each pair weighing as much as both identities are probable. ``sureness``: mean
    probability of the identities, into which it went how far other volumes bear them out. ``doubted``: share of volumes
    whose identities are doubtful as a whole. ``volumes``: how many were looked at.
    """

    agreement: float
    sureness: float
    doubted: float
    volumes: int = FEW_VOLUMES

    @property
    def expected_accuracy(self) -> float:
        """How many of the neurons that come back have the right identity, by this evidence."""
        return _share(self._measure_log_odds())

    @property
    def expected_range(self) -> tuple[float, float]:
        """Where the accuracy is likely to be."""
        middle = self._measure_log_odds()
        spread = FEW_SPREAD if self.volumes < FEW_VOLUMES else SPREAD
        return _share(middle - spread), _share(middle + spread)

    def _measure_log_odds(self) -> float:
        held = float(np.clip(self.sureness, 0.01, 0.99))
        shift = FEW_SHIFT if self.volumes < FEW_VOLUMES else SHIFT
        return shift + float(np.log(held / (1 - held)))

    def describe(self) -> dict[str, Any]:
        """All of it under their names, with the sentence."""
        low, high = self.expected_range
        figures = {"expected_accuracy": self.expected_accuracy, "low": low, "high": high}
        evidence = {"agreement": self.agreement, "sureness": self.sureness, "doubted": self.doubted}
        return {"said": str(self), **{name: round(value, 4) for name, value in (figures | evidence).items()}}

    def __str__(self) -> str:
        low, high = self.expected_range
        few = f"; with {self.volumes} volumes this is a rough guess" if self.volumes < FEW_VOLUMES else ""
        return (
            f"About {100 * self.expected_accuracy:.0f} % of the identities are expected to be right (likely "
            f"{100 * low:.0f} to {100 * high:.0f} %): identities have a mean probability of {self.sureness:.2f}, "
            f"volumes far apart in time agree on {100 * self.agreement:.0f} % of what they identify in both, and "
            f"{100 * self.doubted:.0f} % of the volumes are doubtful{few}."
        )


def check_identities(
    volumes: Sequence[Annotation], known: Mapping[int, Identities], flag_below: float
) -> SelfCheck | None:
    """What a recording says of its own identities; None where too few volumes or neurons can be compared."""
    usable = (one for one in volumes if one.volume in known and len(one) and np.isfinite(one.centre_um).all())
    there = sorted(usable, key=lambda one: one.volume)
    pairs = choose_pairs(len(there))
    if not pairs:
        return None
    numbers = np.unique(np.concatenate([known[one.volume].identity for one in there]))
    numbers = numbers[numbers >= 0]
    same = shared = 0.0
    count = 0
    for first, second in pairs:
        a, b = (_describe(there[row], known[there[row].volume], numbers) for row in (first, second))
        link = link_volumes(_trust_all(a), [_trust_all(b)])[0]
        if link is None:
            # Two volumes that cannot be laid over each other agree on nothing.
            shared += float(min(np.sum(a.probability**2), np.sum(b.probability**2)))
            count += int(min((a.classes >= 0).sum(), (b.classes >= 0).sum()))
            continue
        mine, theirs = a.classes[link.here], b.classes[link.there]
        weight = a.probability[link.here] * b.probability[link.there]
        shared += float(weight.sum())
        same += float(weight[mine == theirs].sum())
        count += int((weight > 0).sum())
    if count < FEWEST_PAIRS or shared == 0:
        return None
    doubted = [judge_volume(known[one.volume], flag_below) is not None for one in there]
    sureness = measure_sureness([known[one.volume] for one in there])
    return SelfCheck(same / shared, sureness, float(np.mean(doubted)), len(there))


def measure_sureness(known: Sequence[Identities]) -> float:
    """Mean probability of the identities that were given; those of people, which have none, do not count."""
    given = [one.probability[(one.identity >= 0) & np.isfinite(one.probability)] for one in known]
    sure = np.concatenate([np.zeros(0), *given])
    return float(sure.mean()) if len(sure) else 0.0


def choose_pairs(count: int) -> list[tuple[int, int]]:
    """Pairs of volumes that were not linked to each other where there are enough of them, spread over the recording."""
    if count < 2:
        return []
    gap = min(GAP, max(1, count // 2))
    starts = np.unique(np.linspace(0, count - 1 - gap, min(PAIRS, count - gap)).round().astype(int))
    return [(int(start), int(start) + gap) for start in starts]


def _describe(volume: Annotation, known: Identities, numbers: Int[np.ndarray, " i"]) -> Recognition:
    given = known.identity >= 0
    classes = np.where(given, np.searchsorted(numbers, known.identity), -1)
    nothing: Float[np.ndarray, "n k"] = np.zeros((len(volume), len(numbers) + 1), np.float16)
    # An identity that a person gave has no probability of its own, and is right.
    sure = np.where(given, np.nan_to_num(known.probability, nan=1.0), 0.0)
    return Recognition(place_points(volume.centre_um), classes, sure, np.zeros((len(volume), 4)), nothing, nothing)


def _trust_all(recognition: Recognition) -> Recognition:
    """The volume as it is registered: an unsure identity is outvoted, and without those too few may be left."""
    return replace(recognition, probability=(recognition.classes >= 0).astype(float))


def _share(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))
