"""Names given to animals that a namer has not seen: by published group, by laboratory, with shipped weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.name.atlas import fit_named
from cender.name.model import NamingModel, count_right, decide_names, see_animal
from cender.types import Cells

CONDITIONS = (
    ("colour", "given"),
    ("colour", "lab"),
    ("colour", "unknown"),
    ("position", "given"),
    ("position", "lab"),
    ("position", "unknown"),
)
BINS = 15


@dataclass(frozen=True, slots=True)
class Fold:
    """A test: animals to learn from, animals to name, and what the test is called."""

    name: str
    taught: tuple[Cells, ...]
    tested: tuple[Cells, ...]


def make_folds(animals: Sequence[Cells], split: str) -> list[Fold]:
    """``groups``: the published groups; ``labs``: leave one laboratory out; otherwise the one group of that name.

    Animals of the group ``original`` are taught in every fold and never tested, as in the published benchmark.
    """
    if split == "labs":
        keys = sorted({one.lab for one in animals if one.group != "original"})
        key = "lab"
    else:
        groups = sorted({one.group for one in animals} - {"original", ""})
        keys, key = (groups if split == "groups" else [split]), "group"
        if not set(keys) <= set(groups):
            raise DataError(f"expected groups, labs or one of {', '.join(groups)} as --split, found {split}")
    folds = []
    for one in keys:
        tested = tuple(cells for cells in animals if getattr(cells, key) == one and cells.group != "original")
        taught = tuple(cells for cells in animals if getattr(cells, key) != one)
        folds.append(Fold(f"{key} {one}", taught, tested))
    return folds


def measure_fold(
    fold: Fold,
    model: NamingModel,
    mirrored: Mapping[str, bool],
    lab_mirrored: Mapping[str, bool | None],
    on_animal: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """One row per animal and condition: share of names right, among the first five, and how sure they were.

    ``mirrored`` is each tested animal's handedness in the frame of the model (from its names), ``lab_mirrored`` that
    of the other animals of its laboratory.
    """
    rows: list[dict[str, Any]] = []
    for cells in fold.tested:
        named = [row for row, name in enumerate(cells.name) if name]
        bare = {"colour": replace(cells, name=("",) * len(cells))}
        bare["position"] = replace(bare["colour"], colour=cells.colour[:, :0])
        begun = process_time()
        sights = {looks: see_animal(seen, model) for looks, seen in bare.items()}
        # Both handednesses, with colours and without.
        spent = (process_time() - begun) / 4
        for looks, side in CONDITIONS:
            known = {"given": mirrored[cells.animal], "lab": lab_mirrored.get(cells.lab), "unknown": None}[side]
            chosen = sights[looks] if known is None else {known: sights[looks][known]}
            naming = decide_names(bare[looks], chosen, model)
            first, five = count_right(naming, cells.name), count_right(naming, cells.name, 5)
            rows.append(
                {
                    "fold": fold.name,
                    "animal": cells.animal,
                    "lab": cells.lab,
                    "looks": looks,
                    "side": side,
                    "top1": float(first[named].mean()),
                    "top5": float(five[named].mean()),
                    "seconds": spent * len(chosen),
                    "side_right": naming.mirrored == mirrored[cells.animal],
                    "probability": naming.probability[named].tolist(),
                    "right": first[named].tolist(),
                    "name": [cells.name[row] for row in named],
                    "said": [naming.names[naming.given[row]] if naming.given[row] >= 0 else "" for row in named],
                }
            )
        on_animal()
    return rows


def summarize(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means over animals, by condition and laboratory, with calibration and seconds per animal."""
    result: dict[str, Any] = {}
    for looks, side in CONDITIONS:
        chosen = [row for row in rows if row["looks"] == looks and row["side"] == side]
        if not chosen:
            continue
        labs = sorted({row["lab"] for row in chosen})
        result[f"{looks}, handedness {side}"] = {
            "top1": float(np.mean([row["top1"] for row in chosen])),
            "top5": float(np.mean([row["top5"] for row in chosen])),
            "by_lab": {
                lab: {
                    "top1": float(np.mean([row["top1"] for row in chosen if row["lab"] == lab])),
                    "top5": float(np.mean([row["top5"] for row in chosen if row["lab"] == lab])),
                    "animals": sum(row["lab"] == lab for row in chosen),
                }
                for lab in labs
            },
            "handedness_right": float(np.mean([row["side_right"] for row in chosen])),
            "calibration_error": measure_calibration(
                np.concatenate([row["probability"] for row in chosen]), np.concatenate([row["right"] for row in chosen])
            ),
            "seconds_per_animal": float(np.median([row["seconds"] for row in chosen])),
            "animals": len(chosen),
        }
    return result


def measure_calibration(probability: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error over 15 bins of equal count."""
    order = np.argsort(probability, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    gaps = [abs(float(probability[part].mean() - right[part].mean())) * len(part) for part in parts]
    return float(sum(gaps) / len(probability))


def map_handedness(fold: Fold, model: NamingModel) -> tuple[dict[str, bool], dict[str, bool | None]]:
    """Handedness of every tested animal by its own names, and that of its laboratory by the animals taught."""
    own = {one.animal: fit_named(one.position_um, one.name, model.atlas).mirrored for one in fold.tested}
    votes: dict[str, list[bool]] = {}
    for one in fold.taught:
        votes.setdefault(one.lab, []).append(fit_named(one.position_um, one.name, model.atlas).mirrored)
    return own, {lab: bool(np.mean(found) > 0.5) for lab, found in votes.items()}
