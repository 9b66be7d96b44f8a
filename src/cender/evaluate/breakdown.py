"""Which neurons are missed: the dim, the deep or the crowded ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Float

from cender.evaluate.errors import classify_identities
from cender.evaluate.overlap import measure_distances_um
from cender.evaluate.pairing import Pairing
from cender.types import Annotation
from cender.types.boxes import measure_areas

Property = Literal["brightness", "depth", "crowding"]
PROPERTIES: tuple[Property, ...] = get_args(Property)
TITLES: dict[Property, str] = {
    "brightness": "brightness (counts)",
    "depth": "depth (z, µm)",
    "crowding": "nearest neighbour (µm)",
}


@dataclass(frozen=True, slots=True)
class Tercile:
    """A third of the true neurons by one property, and how they fared.

    ``low`` and ``high`` bound the values inside: mean intensity above background, depth in µm, or distance to
    the nearest neighbour in µm. ``found`` of ``truth`` neurons are matched, ``right`` of ``known`` have the
    right identity.
    """

    by: Property
    low: float
    high: float
    truth: int
    found: int
    known: int
    right: int

    @property
    def title(self) -> str:
        """The property in words, with its unit."""
        return TITLES[self.by]

    @property
    def recall(self) -> float:
        """Share that is found."""
        return self.found / self.truth

    @property
    def accuracy(self) -> float | None:
        """Share of those with an identity that have the right one; None where there are none."""
        return self.right / self.known if self.known else None


def break_down(pairings: Iterable[Pairing]) -> tuple[Tercile, ...]:
    """Recall and accuracy of the true neurons of all volumes by terciles of brightness, depth and crowding.

    Neurons whose value is not known are left out; a property that no neuron has gives no terciles.
    """
    pairings = tuple(pairings)
    if not pairings:
        return ()
    found = np.concatenate([pairing.partners.partner_of_truth >= 0 for pairing in pairings])
    outcome = np.concatenate([classify_identities(pairing) for pairing in pairings])
    values = [_describe(pairing.truth) for pairing in pairings]
    terciles: list[Tercile] = []
    for column, name in enumerate(PROPERTIES):
        value = np.concatenate([rows[:, column] for rows in values])
        terciles += _divide(name, value, found, outcome != "", outcome == "right")
    return tuple(terciles)


def measure_brightness(annotation: Annotation) -> Float[np.ndarray, " m"]:
    """Mean intensity of every neuron over the area of its boxes; NaN where it was not measured."""
    regions = annotation.regions
    used = (regions.neuron >= 0) & np.isfinite(regions.intensity)
    area = measure_areas(regions.box_px)[used]
    rows = regions.neuron[used]
    total = np.bincount(rows, weights=area * regions.intensity[used], minlength=len(annotation))
    whole = np.bincount(rows, weights=area, minlength=len(annotation))
    mean: np.ndarray = np.divide(total, whole, out=np.full(len(annotation), np.nan), where=whole > 0)
    return mean


def measure_crowding_um(annotation: Annotation) -> Float[np.ndarray, " m"]:
    """Distance from every neuron to its nearest neighbour; NaN for the only one."""
    distance_um = measure_distances_um(annotation.centre_um, annotation.centre_um)
    np.fill_diagonal(distance_um, np.inf)
    nearest = distance_um.min(axis=1, initial=np.inf)
    return np.where(np.isfinite(nearest), nearest, np.nan)


def _describe(annotation: Annotation) -> Float[np.ndarray, "m 3"]:
    return np.stack(
        [measure_brightness(annotation), annotation.centre_um[:, 0], measure_crowding_um(annotation)], axis=1
    )


def _divide(
    name: Property,
    value: Float[np.ndarray, " n"],
    found: Bool[np.ndarray, " n"],
    known: Bool[np.ndarray, " n"],
    right: Bool[np.ndarray, " n"],
) -> list[Tercile]:
    usable = np.isfinite(value)
    if not usable.any():
        return []
    edges = np.quantile(value[usable], [1 / 3, 2 / 3])
    third = np.where(usable, np.searchsorted(edges, value), -1)
    parts = [third == index for index in range(3)]
    return [
        Tercile(
            name,
            float(value[part].min()),
            float(value[part].max()),
            int(part.sum()),
            int(found[part].sum()),
            int(known[part].sum()),
            int(right[part].sum()),
        )
        for part in parts
        if part.any()
    ]
