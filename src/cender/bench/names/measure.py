"""Names given to animals that a namer has not seen: with colours and without, their handedness known or not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.name.atlas import fit_named, pair_sides
from cender.name.model import Naming, NamingModel, count_right, decide_names, see_animal
from cender.types import Cells

Row = dict[str, Any]
"""What was measured on one animal under one condition."""
LOOKS = ("colour", "position")
"""What names are given by: colour and position, or position alone."""
SIDES = ("given", "lab", "unknown")
"""What is known of the side that an animal lies on: given, that of its lab's animals next to it, or nothing."""
SESSION = 1.0
"""Recordings after which the weight of another animal's handedness has fallen to a third."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A test: animals to learn from, animals to name, and what the test is called."""

    name: str
    taught: tuple[Cells, ...]
    tested: tuple[Cells, ...]


def make_folds(animals: Sequence[Cells], split: str) -> list[Fold]:
    """``groups``: the published groups; ``labs``: leave one laboratory out; otherwise those of these names (1,2 or EY).

    Animals of the group ``original`` are taught in every fold and never tested, as in the published benchmark.
    """
    testable = [one for one in animals if one.group != "original"]
    groups, labs = (sorted({getattr(one, key) for one in testable} - {""}) for key in ("group", "lab"))
    asked = {"groups": groups, "labs": labs}.get(split, split.split(","))
    key, known = ("lab", labs) if split == "labs" or set(asked) <= set(labs) else ("group", groups)
    if not asked or not set(asked) <= set(known):
        raise DataError(f"expected groups, labs or some of {','.join((*groups, *labs))} as --split, found {split}")
    folds = []
    for one in asked:
        tested = tuple(cells for cells in testable if getattr(cells, key) == one)
        taught = tuple(cells for cells in animals if getattr(cells, key) != one)
        folds.append(Fold(f"{key} {one}", taught, tested))
    return folds


def hide_names(cells: Cells) -> dict[str, Cells]:
    """The animal without its names: as it is, and without its colours."""
    bare = replace(cells, name=("",) * len(cells))
    return {"colour": bare, "position": replace(bare, colour=cells.colour[:, :0])}


def measure_fold(
    fold: Fold,
    model: NamingModel,
    on_animal: Callable[[], None] = lambda: None,
    looks: Sequence[str] = LOOKS,
) -> list[Row]:
    """One row per animal and condition: share of names right, among the first five, and how sure they were.

    ``looks`` are what names are given by, some of ``LOOKS``.
    """
    mirrored, beside = map_handedness(fold, model)
    rows: list[Row] = []
    for cells in fold.tested:
        bare = hide_names(cells)
        begun = process_time()
        sights = {look: see_animal(bare[look], model) for look in looks}
        # Each look is one at both handednesses.
        spent = (process_time() - begun) / (2 * len(looks))
        for look in looks:
            for side in SIDES:
                known = {"given": mirrored[cells.animal], "lab": beside[cells.animal], "unknown": None}[side]
                chosen = sights[look] if known is None else {known: sights[look][known]}
                naming = decide_names(bare[look], chosen, model)
                row = describe_names(naming, cells, np.arange(len(cells)))
                row |= {"fold": fold.name, "condition": f"{look}, handedness {side}", "seconds": spent * len(chosen)}
                rows.append({**row, "side_right": naming.mirrored == mirrored[cells.animal]})
        on_animal()
    return rows


def describe_names(naming: Naming, truth: Cells, partner: np.ndarray) -> Row:
    """What the names given to ``partner`` (-1: the neuron was not found) are worth against the true ones."""
    named = [row for row, name in enumerate(truth.name) if name]
    wanted = [""] * len(naming.given)
    for row in named:
        if partner[row] >= 0:
            wanted[partner[row]] = truth.name[row]
    first, five = (count_right(naming, wanted, top) for top in (1, 5))
    at = [int(partner[row]) for row in named]
    found = [one for one in at if one >= 0]
    # Probabilities hold for the side that was chosen, and a cell of a pair is right only if that one is.
    paired = (pair_sides(naming.names) != np.arange(len(naming.names)))[naming.given]
    sure = naming.probability * np.where(paired, naming.side_probability, 1.0)
    return {
        "animal": truth.animal,
        "lab": truth.lab,
        "top1": sum(bool(first[one]) for one in found) / max(len(named), 1),
        "top5": sum(bool(five[one]) for one in found) / max(len(named), 1),
        "known": sum(truth.name[row] in naming.names for row in named) / max(len(named), 1),
        "probability": [float(sure[one]) for one in found],
        "right": [bool(first[one]) for one in found],
        "name": [wanted[one] for one in found],
        "said": [naming.names[naming.given[one]] if naming.given[one] >= 0 else "" for one in found],
    }


def map_handedness(fold: Fold, model: NamingModel) -> tuple[dict[str, bool], dict[str, bool | None]]:
    """Handedness of every tested animal: by its own names, and by those of its laboratory's animals that teach.

    A laboratory changes its microscope now and then, so animals recorded next to this one count most. Their names put
    them in order: they begin with a date or a running number. None where no animal of the laboratory teaches.
    """

    def is_mirrored(one: Cells) -> bool:
        return fit_named(one.position_um, one.name, model.atlas).mirrored

    own = {one.animal: is_mirrored(one) for one in fold.tested}
    labs: dict[str, list[tuple[str, bool]]] = {}
    for one in sorted(fold.taught, key=lambda cells: cells.animal):
        labs.setdefault(one.lab, []).append((one.animal, is_mirrored(one)))
    return own, {one.animal: _guess_side(one.animal, labs.get(one.lab, [])) for one in fold.tested}


def _guess_side(animal: str, others: Sequence[tuple[str, bool]]) -> bool | None:
    """The side on which animals recorded next to this one lie; the weight of each falls with its distance in order."""
    if not others:
        return None
    place = sum(name < animal for name, _ in others)
    distance = np.abs(np.arange(len(others)) + 0.5 - place)
    mirrored = np.array([side for _, side in others], float)
    return bool(np.average(mirrored, weights=np.exp(-distance / SESSION)) > 0.5)


def in_condition(rows: Sequence[Mapping[str, Any]], condition: str) -> list[Mapping[str, Any]]:
    """Rows of one condition."""
    return [row for row in rows if row["condition"] == condition]
