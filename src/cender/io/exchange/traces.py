"""The traces of a run for everybody else: tables as CSV and parquet, arrays as HDF5 and MATLAB."""

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import polars as pl

from cender.errors import DataError
from cender.io.atomic import write_atomically
from cender.io.exchange.format import ExchangeFormat, Outgoing

_VALUES = ("red", "green", "ratio", "dr_r0", "probability")
"""Columns of values that are written for each identity."""
_KEEPS = ("identities", "names", "probabilities", "times", "ratios", "intensities")


def spread_traces(out: Outgoing) -> dict[str, np.ndarray]:
    """Arrays of volumes × identities (NaN where a value is missing), and the volumes, times, identities and names."""
    table = _require(out).sort("identity", "volume")
    identities, volumes = table["identity"].unique().sort(), table["volume"].unique().sort()
    if table.height != len(identities) * len(volumes):
        raise DataError(f"{out.folder}: expected every identity in every volume of traces.parquet; run it again")
    shape = (len(identities), len(volumes))
    arrays = {name: table[name].fill_null(float("nan")).to_numpy().reshape(shape).T for name in _VALUES}
    names = [out.known.names.get(number, "") for number in identities.to_list()]
    times = table.head(len(volumes))["time_s"].fill_null(float("nan")).to_numpy()
    return {
        "identity": identities.to_numpy(),
        "name": np.array(names, object),
        "volume": volumes.to_numpy(),
        "time_s": times,
        "valid": table["valid"].to_numpy().reshape(shape).T,
        **arrays,
    }


def save_csv(out: Outgoing, path: Path) -> None:
    """Write the table, names as they are now."""
    with write_atomically(path) as part:
        _tabulate(out).write_csv(part)


def save_parquet(out: Outgoing, path: Path) -> None:
    """Write the table as ``pandas.read_parquet`` wants it: plain columns, no types of our own."""
    with write_atomically(path) as part:
        _tabulate(out).write_parquet(part)


def save_hdf5(out: Outgoing, path: Path) -> None:
    """Write one dataset for each array, its axes named."""
    arrays = spread_traces(out)
    with write_atomically(path) as part, h5py.File(part, "w") as file:
        for name, array in arrays.items():
            if name == "name":
                file.create_dataset(name, data=array.tolist(), dtype=h5py.string_dtype())
                continue
            file[name] = array
            if array.ndim == 2:
                file[name].dims[0].label, file[name].dims[1].label = "volume", "identity"


def save_matlab(out: Outgoing, path: Path) -> None:
    """Write a struct ``traces`` with the arrays as its fields."""
    from scipy.io import savemat

    with write_atomically(path) as part, part.open("wb") as file:
        savemat(file, {"traces": spread_traces(out)}, oned_as="column", do_compression=True)


def _tabulate(out: Outgoing) -> pl.DataFrame:
    names = {number: name for number, name in out.known.names.items() if name}
    column = pl.col("identity").replace_strict(names, default=None, return_dtype=pl.String)
    return _require(out).with_columns(name=column)


def _require(out: Outgoing) -> pl.DataFrame:
    if out.traces is None or not out.traces.height:
        raise DataError(f"{out.folder} has no traces to write (people's work alone has none); `cender run` makes them")
    return out.traces


def _declare(suffix: str, title: str, save: Callable[[Outgoing, Path], None]) -> ExchangeFormat:
    return ExchangeFormat(
        name=f"traces-{suffix}",
        title=title,
        keeps=_KEEPS,
        recognize=lambda path: path.suffix.lower() == f".{suffix}" and "traces" in path.stem.lower(),
        save=save,
        written_as=(f".{suffix}",),
        note="the traces of the last run; neurons without an identity have none",
        holds=lambda one: one.identity >= 0,
        lacking="without an identity",
    )


TRACES = (
    _declare("csv", "traces.csv: one row per identity and volume", save_csv),
    _declare("parquet", "traces.parquet: the same, for pandas and polars", save_parquet),
    _declare("h5", "traces.h5: arrays of volumes × identities", save_hdf5),
    _declare("mat", "traces.mat: the same as a struct of MATLAB", save_matlab),
)
