"""Traces as tables: one row per identity in a volume, and time × identity for spreadsheets."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from cender.annotate.state import IdentityState
from cender.io.results.tables.schemas import IDENTITIES, TRACES
from cender.types import Traces


def tabulate_traces(traces: Traces, names: Mapping[int, str]) -> pl.DataFrame:
    """One row per identity and volume, identities first; what is NaN is empty.

    ``names`` become the column ``name``, empty where an identity has none. Smoothed columns are there only where
    smoothing was asked for.
    """
    count, volumes = len(traces.identity), len(traces.volume)
    smooth = [name for name in ("ratio_smooth", "dr_r0_smooth") if getattr(traces, name) is not None]
    columns = {
        "identity": np.repeat(traces.identity, volumes),
        "volume": np.tile(traces.volume, count),
        "time_s": np.tile(traces.time_s, count),
        **{name: getattr(traces, name).ravel() for name in ("red", "green", "ratio", "dr_r0", "probability", "valid")},
        "name": [names.get(identity) for identity in traces.identity.tolist() for _ in range(volumes)],
        **{name: getattr(traces, name).ravel() for name in smooth},
    }
    kinds = {name: column.kind for name, column in TRACES.columns.items() if name in columns}
    return pl.DataFrame([pl.Series(name, columns[name], kind, nan_to_null=True) for name, kind in kinds.items()])


def widen_ratio(traces: Traces, names: dict[int, str]) -> pl.DataFrame:
    """One row per volume, one column per identity (by its name where it has one), empty where a ratio is not valid."""
    columns = [
        pl.Series("volume", traces.volume, pl.Int64),
        pl.Series("time_s", traces.time_s, pl.Float64, nan_to_null=True),
    ]
    for identity, ratio in zip(traces.identity.tolist(), traces.ratio, strict=True):
        title = names.get(identity, str(identity))
        columns.append(pl.Series(title, ratio, pl.Float64, nan_to_null=True))
    return pl.DataFrame(columns)


def name_identities(listed: pl.DataFrame, said: Mapping[int, IdentityState]) -> pl.DataFrame:
    """The user's table with the names and notes that people gave elsewhere."""
    for name in ("name", "note"):
        own = {number: words for number, one in said.items() if (words := getattr(one, name))}
        old = listed[name] if name in listed.columns else [None] * listed.height
        cells = [own.get(number, cell) for number, cell in zip(listed["identity"], old, strict=True)]
        listed = listed.with_columns(pl.Series(name, cells, pl.String))
    return listed


def extend_identities(listed: pl.DataFrame | None, identities: list[int]) -> pl.DataFrame:
    """The user's table with a row for every identity that it does not list yet; rows that are there stay."""
    if listed is None:
        listed = pl.DataFrame(schema={name: column.kind for name, column in IDENTITIES.columns.items()})
    new = sorted(set(identities) - set(listed["identity"].to_list()))
    rows = pl.DataFrame({"identity": pl.Series(new, dtype=pl.Int64)})
    return pl.concat([listed, rows], how="diagonal")
