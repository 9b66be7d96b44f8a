"""A run folder as the report sees it: what is there as columns, what is not there as gaps with a reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.errors import DataError
from cender.io import RunFolder, open_folder
from cender.io.results.folder.names import load_guesses
from cender.io.results.tables.heads import head_from_cells
from cender.report.traces import widen_traces
from cender.types import Head, Traces

TABLES = ("volumes", "neurons", "regions", "traces", "timings")


@dataclass(frozen=True, slots=True)
class Gap:
    """Something the page cannot show: what, why, and what to do about it."""

    what: str
    why: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class VolumeColumns:
    """One row per volume, by index; ``time_s`` and ``quality`` are NaN and ``head`` None where they are not known.

    ``reason`` says in words why a volume is not ok, ``flags`` in fixed words (empty in folders of earlier versions).
    """

    volume: Int[np.ndarray, " n"]
    time_s: Float[np.ndarray, " n"]
    status: tuple[str, ...]
    reason: tuple[str, ...]
    flags: tuple[str, ...]
    quality: Float[np.ndarray, " n"]
    head: tuple[Head | None, ...]

    def __len__(self) -> int:
        return len(self.volume)


@dataclass(frozen=True, slots=True)
class NeuronColumns:
    """One row per neuron in a volume; ``identity`` -1 = not recognized; numbers that are not known are NaN."""

    volume: Int[np.ndarray, " n"]
    neuron: Int[np.ndarray, " n"]
    identity: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]
    centre_px: Float[np.ndarray, "n 3"]
    centre_um: Float[np.ndarray, "n 3"]
    human: Bool[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.volume)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """All that a run folder says, read once; a part that is None is explained in ``gaps``.

    ``guesses`` are names of the machine with their probabilities. ``regions`` is the table itself: it is long, and only
    the boxes of a few volumes are looked at.
    """

    run: RunFolder
    settings: Mapping[str, Any]
    names: Mapping[int, str]
    guesses: Mapping[int, tuple[str, float]]
    volumes: VolumeColumns | None
    neurons: NeuronColumns | None
    traces: Traces | None
    timings: Mapping[str, Float[np.ndarray, " n"]] | None
    regions: Any
    gaps: tuple[Gap, ...]

    def name(self, identity: int) -> str:
        """The cell name of an identity, or its number."""
        return self.names.get(identity, str(identity))


def read_folder(path: Path) -> RunFacts:
    """Read a run folder leniently: a table that is missing or damaged becomes a gap.

    Raises
    ------
    DataError
        It is no run folder, or one without any result.
    """
    run = open_folder(path)
    if not any(run.has_table(name) for name in TABLES):
        raise DataError(f"{path} has no results yet; `cender run {path}` makes them")
    gaps: list[Gap] = []
    frames = {name: _load(run, name, gaps) for name in TABLES}
    try:
        names: Mapping[int, str] = run.load_names()
    except DataError as error:
        names = {}
        gaps.append(Gap("cell names", str(error), "correct identities.csv"))
    try:
        guesses = load_guesses(path, names)
    except DataError as error:
        guesses = {}
        gaps.append(Gap("names of the machine", str(error), f"`cender name {path}` makes them again"))
    volumes, neurons, traces, timings = (frames[name] for name in ("volumes", "neurons", "traces", "timings"))
    return RunFacts(
        run,
        run.load_settings(),
        names,
        guesses,
        None if volumes is None else _read_volumes(volumes, path),
        None if neurons is None else _read_neurons(neurons),
        None if traces is None or not len(traces) else widen_traces(traces),
        None if timings is None else _read_timings(timings),
        frames["regions"],
        tuple(gaps),
    )


def _load(run: RunFolder, name: str, gaps: list[Gap]) -> Any:
    remedy = f"cender run {run.path}"
    if not run.has_table(name):
        gaps.append(Gap(name, f"the folder has no {name}.parquet", remedy))
        return None
    try:
        return run.load_table(name)
    except DataError as error:
        gaps.append(Gap(name, str(error), remedy))
        return None


def _numbers(frame: Any, name: str) -> Float[np.ndarray, " n"]:
    return np.asarray(frame[name].to_numpy(), float)


def _read_volumes(frame: Any, path: Path) -> VolumeColumns:
    frame = frame.sort("volume")
    where = f"{path / 'volumes.parquet'}, volume "
    return VolumeColumns(
        frame["volume"].to_numpy(),
        _numbers(frame, "time_s"),
        tuple(frame["status"].to_list()),
        tuple(text or "" for text in frame["reason"].to_list()),
        tuple(text or "" for text in frame["flags"].to_list()) if "flags" in frame.columns else ("",) * frame.height,
        _numbers(frame, "quality"),
        tuple(head_from_cells(row, f"{where}{row['volume']}") for row in frame.iter_rows(named=True)),
    )


def _read_neurons(frame: Any) -> NeuronColumns:
    return NeuronColumns(
        frame["volume"].to_numpy(),
        frame["neuron"].to_numpy(),
        frame["identity"].to_numpy(),
        _numbers(frame, "probability"),
        np.stack([_numbers(frame, name) for name in ("z_px", "y_px", "x_px")], axis=1),
        np.stack([_numbers(frame, name) for name in ("z_um", "y_um", "x_um")], axis=1),
        np.array([source == "human" for source in frame["source"].to_list()], bool),
    )


def _read_timings(frame: Any) -> dict[str, Float[np.ndarray, " n"]]:
    """Milliseconds by stage, in the order in which the stages first appear."""
    stages = frame["stage"].to_numpy()
    spent = _numbers(frame, "milliseconds")
    return {str(stage): spent[stages == stage] for stage in dict.fromkeys(stages.tolist())}
