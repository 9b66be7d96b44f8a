"""Pictures of a benchmark of names, written into a folder."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from cender.name.atlas import UNIT_UM, Atlas
from cender.plots.names import draw_atlas, draw_confusion, draw_groups
from cender.plots.style import save_figure

GANGLIA = "neuron_ganglia.csv"
"""Table of ``neuron_class,ganglion``, looked for beside the animals."""


def save_pictures(rows: Sequence[Mapping[str, Any]], atlas: Atlas, animals: Path, folder: Path) -> list[Path]:
    """Atlas, confusions (with colours, handedness given) and, where a table of them is there, accuracy by ganglion."""
    chosen = [row for row in rows if (row["looks"], row["side"]) == ("colour", "given")]
    pairs = Counter((true, said) for row in chosen for true, said in zip(row["name"], row["said"], strict=True) if said)
    figures = {
        "atlas": draw_atlas(atlas.names, atlas.mean * UNIT_UM, atlas.covariance * UNIT_UM**2, atlas.sightings),
        "confusion": draw_confusion(pairs),
    }
    ganglia = animals.parent / GANGLIA
    if ganglia.is_file():
        figures["ganglia"] = draw_groups(count_groups(chosen, read_ganglia(ganglia)))
    paths = [folder / f"names_{name}.png" for name in figures]
    for path, figure in zip(paths, figures.values(), strict=True):
        save_figure(figure, path, compact=True)
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
