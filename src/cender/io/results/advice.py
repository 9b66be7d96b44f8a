"""Advice on a run folder: its tables, with what people have said since they were made."""

from pathlib import Path
from typing import Any

import numpy as np

from cender.annotate.advice import COUNT, Advice, give_advice
from cender.annotate.candidates import SeenNeurons, SeenVolumes, lay_marks
from cender.errors import DataError
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.run_folder import open_folder


def suggest_annotation(folder: Path | str, count: int = COUNT) -> Advice:
    """Which volumes and neurons of a run folder are worth a person's next minute, and what that should gain.

    Raises
    ------
    DataError
        It is no run folder, or one without results.
    """
    run = open_folder(Path(folder))
    if not run.has_table("volumes") or not run.has_table("neurons"):
        raise DataError(f"{run.path} has no results yet; `cender run {run.path}` makes them")
    volumes, neurons = arrange_volumes(run.load_table("volumes")), arrange_neurons(run.load_table("neurons"))
    with EditLog(run.path) as log:
        states = log.states()
    reviewed = [volume for volume, one in states.items() if one.reviewed or one.complete]
    return give_advice(volumes, lay_marks(neurons, states), reviewed, count)


def arrange_volumes(table: Any) -> SeenVolumes:
    """The table of volumes (a polars frame) as columns."""
    rows = table.sort("volume")
    return SeenVolumes(
        rows["volume"].to_numpy(),
        np.asarray(rows["time_s"].to_numpy(), float),
        np.where(rows["status"].to_numpy() == "ok", np.asarray(rows["quality"].to_numpy(), float), np.nan),
    )


def arrange_neurons(table: Any) -> SeenNeurons:
    """The table of neurons (a polars frame) as columns."""
    rows = table.sort("volume", "neuron")
    return SeenNeurons(
        rows["volume"].to_numpy(),
        rows["identity"].to_numpy(),
        np.asarray(rows["probability"].to_numpy(), float),
        np.stack([np.asarray(rows[name].to_numpy(), float) for name in ("z_um", "y_um", "x_um")], axis=1),
        (rows["source"] == "human").to_numpy(),
    )
