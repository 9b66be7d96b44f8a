"""Volumes of a run from which names are taken."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from jaxtyping import Float

from cender.errors import DataError
from cender.io import RunFolder

SURE_IDENTITY = 0.5
"""Probability from which on a neuron's identity counts for its name."""


@dataclass(frozen=True, slots=True)
class View:
    """One volume of a run: the identities seen in it, and where."""

    volume: int
    identity: tuple[int, ...]
    position_um: Float[np.ndarray, "n 3"]
    centre_px: Float[np.ndarray, "n 3"]

    def __len__(self) -> int:
        return len(self.identity)


def collect_views(run: RunFolder, count: int) -> tuple[list[View], list[int]]:
    """Volumes with the most identities, spread over the recording, and all identities."""
    neurons = run.load_table("neurons").filter((pl.col("identity") >= 0) & (pl.col("probability") >= SURE_IDENTITY))
    if neurons.is_empty():
        raise DataError(f"{run.path}: no neuron has an identity yet; names are given to identities")
    identities = sorted(neurons["identity"].unique().to_list())
    sizes = neurons.group_by("volume").len().sort("volume")
    views = []
    for block in np.array_split(np.arange(len(sizes)), min(count, len(sizes))):
        best = int(sizes[block.tolist()].sort("len", "volume", descending=[True, False])["volume"][0])
        rows = neurons.filter(pl.col("volume") == best).unique("identity", maintain_order=True)
        places = rows.select("z_um", "y_um", "x_um").to_numpy()
        views.append(View(best, tuple(rows["identity"]), places, rows.select("z_px", "y_px", "x_px").to_numpy()))
    return views, identities
