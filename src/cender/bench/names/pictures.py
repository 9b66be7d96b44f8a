"""Pictures of a benchmark of names, written into a folder."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from cender.bench.names.measure import in_condition
from cender.name.atlas import UNIT_UM, build_atlas
from cender.name.colours import describe_colours
from cender.plots.names import draw_atlas, draw_confusion, draw_groups, draw_worms
from cender.plots.style import save_figure
from cender.types import Cells

GANGLIA = "neuron_ganglia.csv"
"""Table of ``neuron_class,ganglion``, looked for beside the animals."""
RIVAL = "CRF (retrain)"
"""The best published method."""


def save_pictures(
    rows: Sequence[Mapping[str, Any]],
    animals: Sequence[Cells],
    published: Mapping[tuple[str, str], Mapping[str, float]],
    path: Path,
    folder: Path,
) -> list[Path]:
    """Atlas of all animals, confusions, and where their tables lie beside the animals accuracy by ganglion and by worm.

    Confusions and accuracies are those of the first condition of the rows.
    """
    chosen = in_condition(rows, rows[0]["condition"])
    pairs = Counter((true, said) for row in chosen for true, said in zip(row["name"], row["said"], strict=True) if said)
    looks = [describe_colours(one.colour) for one in animals]
    # Names that people doubted themselves are no cells.
    names = [["" if "?" in name else name for name in one.name] for one in animals]
    atlas, _ = build_atlas([one.position_um for one in animals], names, looks)
    figures = {
        "atlas": draw_atlas(atlas.names, atlas.mean * UNIT_UM, atlas.covariance * UNIT_UM**2, atlas.sightings),
        "confusion": draw_confusion(pairs),
    }
    ganglia = path.parent / GANGLIA
    if ganglia.is_file():
        figures["ganglia"] = draw_groups(count_groups(chosen, read_ganglia(ganglia)))
    beside = [(row["lab"], row["top1"], published.get((row["lab"], row["animal"]), {}).get(RIVAL)) for row in chosen]
    if any(other is not None for *_, other in beside):
        figures["worms"] = draw_worms([(lab, ours, other) for lab, ours, other in beside if other is not None], RIVAL)
    paths = [folder / f"names_{name}.png" for name in figures]
    for to, figure in zip(paths, figures.values(), strict=True):
        save_figure(figure, to, compact=True)
    return paths


def read_ganglia(path: Path) -> dict[str, str]:
    """Ganglion by class of neurons."""
    table = pl.read_csv(path)
    return dict(zip(table["neuron_class"], table["ganglion"], strict=True))


def count_groups(rows: Sequence[Mapping[str, Any]], group: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Right names and named neurons by group; a cell is of the longest class that its name begins with."""
    classes = sorted(group, key=len, reverse=True)
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        for name, right in zip(row["name"], row["right"], strict=True):
            of = next((group[one] for one in classes if name.startswith(one)), "other")
            hits, total = found.get(of, (0, 0))
            found[of] = hits + bool(right), total + 1
    return found
