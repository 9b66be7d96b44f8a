"""Traces in NWB, under the names that the WormID labs use."""

from typing import Any

import numpy as np
import polars as pl

from cender.io.exchange.format import Outgoing
from cender.io.exchange.nwb.images import space_times
from cender.io.exchange.nwb.kit import Kit
from cender.io.exchange.nwb.neurons import list_identities, tabulate_identities

# Holder, series, column of our traces, what it is, unit.
_SERIES = (
    ("SignalRawFluor", "SignalCalciumImResponseSeries", "green",
     "background-subtracted mean of the activity channel", "camera counts"),
    ("ReferenceRawFluor", "ReferenceCalciumImResponseSeries", "red",
     "background-subtracted mean of the reference channel", "camera counts"),
    ("ProcessedRatio", "RatioCalciumImResponseSeries", "ratio",
     "bleach-corrected green / red; NaN where not valid", "n.a."),
    ("ProcessedDFoF", "ProcessedCalciumImResponseSeries", "dr_r0",
     "change of the ratio relative to its baseline R0", "n.a."),
)  # fmt: skip


def add_traces(kit: Kit, module: Any, out: Outgoing, volume: Any) -> None:
    """Add the series of all identities and the probability of each in every volume; nothing without traces."""
    if out.traces is None or not out.traces.height:
        return
    traces, identities = out.traces, list_identities(out)
    table = tabulate_identities(kit, out, volume)
    module.add(kit.pynwb.ophys.ImageSegmentation(name="TrackedNeurons", plane_segmentations=[table]))
    spaced = space_times(dict(traces.select("volume", "time_s").drop_nulls().unique().rows()))

    def respond(name: str, column: str, words: str, unit: str) -> Any:
        rois = table.create_roi_table_region(region=list(range(len(identities))), description="the columns of data")
        data = _spread(traces, identities, column)
        return kit.pynwb.ophys.RoiResponseSeries(
            name=name, description=words, data=data, rois=rois, unit=unit, **spaced
        )

    for holder_name, name, column, words, unit in _SERIES:
        kind = kit.pynwb.ophys.DfOverF if holder_name == "ProcessedDFoF" else kit.pynwb.ophys.Fluorescence
        holder = kind(name=holder_name)
        # First the holder: a reference to the table is refused where both are not in one file yet.
        module.add(holder)
        holder.add_roi_response_series(respond(name, column, words, unit))
    module.add(respond("IdentityProbability", "probability", "that the identity is right in this volume", "n.a."))


def _spread(traces: pl.DataFrame, identities: list[int], column: str) -> np.ndarray:
    """Volumes × identities, NaN where there is no value."""
    wide = traces.pivot(on="identity", index="volume", values=column).sort("volume")
    numbers = wide.select([str(number) for number in identities]).cast(pl.Float64).fill_null(float("nan"))
    return np.ascontiguousarray(numbers.to_numpy())
