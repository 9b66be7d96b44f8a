"""Names of heads of which a part is out of view: the front or the back of each animal alone."""

from collections.abc import Callable
from time import process_time

import numpy as np

from cender.bench.names.measure import Fold, Row, describe_names, hide_names, map_handedness
from cender.name.atlas import fit_named
from cender.name.model import FEWEST, NamingModel, decide_names, see_animal
from cender.types import Cells

SHARES = (0.6, 0.4)
"""Shares of the neurons that are in view, from one end on."""
FEWEST_NAMES = 10
"""Names among these from which on a part is measured."""


def measure_partial(fold: Fold, model: NamingModel, on_animal: Callable[[], None] = lambda: None) -> list[Row]:
    """One row per animal and condition, with the handedness given: each share of its neurons, from either end."""
    mirrored, _ = map_handedness(fold, model)
    rows: list[Row] = []
    for cells in fold.tested:
        for words, part in cut_parts(cells, model).items():
            if len(part) < FEWEST or sum(map(bool, part.name)) < FEWEST_NAMES:
                continue
            for looks, bare in hide_names(part).items():
                begun = process_time()
                naming = decide_names(bare, see_animal(bare, model, (mirrored[cells.animal],)), model)
                row = describe_names(naming, part, np.arange(len(part)))
                row |= {"fold": fold.name, "condition": f"{looks}, {words}", "seconds": process_time() - begun}
                rows.append({**row, "side_right": True})
        on_animal()
    return rows


def cut_parts(cells: Cells, model: NamingModel) -> dict[str, Cells]:
    """The front and the back of an animal, by what is in view."""
    along = fit_named(cells.position_um, cells.name, model.atlas).apply(cells.position_um)[:, 2]
    parts = {}
    for share in SHARES:
        parts[f"front {share:.0%}"] = cells.select(np.flatnonzero(along <= np.quantile(along, share)))
        parts[f"back {share:.0%}"] = cells.select(np.flatnonzero(along >= np.quantile(along, 1 - share)))
    return parts
