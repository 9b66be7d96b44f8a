"""Run folders of simulated animals, made from the truth: what a run would leave, without running anything."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cender.io import RunFolder, create_run, save_outcomes, save_recording
from cender.simulate import SimulateParams, Simulation, simulate_recording
from cender.types import Identities, Neurons, Outcome, VoxelSize

SMALL: dict[str, Any] = {
    "seed": 1200,
    "volumes": 16,
    "shape": (6, 96, 96),
    "voxel_um": (4.0, 1.6, 1.6),
    "anatomy": {"neurons": (36, 40)},
}
STAGES = {"read": 40.0, "preprocess": 15.0, "detect": 120.0, "merge": 12.0, "activity": 30.0}


def build_run(path: Path, *, write_recording: bool = True, **knobs: Any) -> RunFolder:
    """A complete run folder at ``path/worm`` and its recording at ``path/recording.npz``.

    Neurons and boxes are those of the truth; one neuron in ten is refused, hard volumes are flagged, one fails.
    """
    simulation = simulate_recording(SimulateParams(**(SMALL | knobs)))
    recording = simulation.recording
    source = path / "recording.npz"
    if write_recording:
        save_recording(recording, source, "npz")
    rng = np.random.default_rng(7)
    made = [_make_outcome(simulation, volume, rng) for volume in range(len(recording))]
    facts = {
        "source": str(source),
        "shape": list(recording.shape),
        "voxel_um": list(recording.voxel_um or ()),
        "rate_hz": recording.rate_hz,
        "roles": list(recording.roles or ()),
    }
    settings = {"recording": facts, "detect": {"region_score": 0.45}, "models": {"detector": "0123456789abcdef"}}
    run = create_run(path / "worm", settings)
    known = {outcome.volume: identities for outcome, identities in made if identities is not None}
    save_outcomes(run, [outcome for outcome, _ in made], VoxelSize(*simulation.world.params.voxel_um), known)
    _add_intensities(run, simulation, rng)
    _add_traces(run)
    return run


def _make_outcome(simulation: Simulation, volume: int, rng: np.random.Generator) -> tuple[Outcome, Identities | None]:
    time_s = simulation.recording.time_s(volume)
    if volume == 5:
        reason = f"frame 3 of volume {volume} cannot be read"
        return Outcome(volume, time_s, "failed", reason, milliseconds={"read": 9.0}, flags=("unreadable",)), None
    found = simulation.annotate(volume)
    hard = bool(simulation.events(volume)) or volume == 9
    centre_px = found.centre_um / np.array(simulation.world.params.voxel_um)
    frames = [found.regions.z[found.regions.neuron == row] for row in range(len(found))]
    first, last = (np.array([f(z) if len(z) else 0 for z in frames], int) for f in (min, max))
    sure = np.clip(rng.normal(0.72 if hard else 0.93, 0.1, len(found)), 0.05, 0.999)
    refused = sure < (0.7 if hard else 0.8)
    neurons = Neurons(centre_px, first, last, np.full(len(found), 0.9), found.regions)
    identities = Identities(np.where(refused, -1, found.identity), sure)
    quality = 0.3 if hard else 0.9
    reason = f"the head's place or axes are unsure (quality {quality:.2f})" if hard else ""
    spent = {stage: float(ms * rng.uniform(0.8, 1.4)) for stage, ms in STAGES.items()}
    if not hard:
        return Outcome(volume, time_s, "ok", "", found.head, neurons, spent), identities
    flags = ("unsure axes",)
    return Outcome(volume, time_s, "flagged", reason, found.head, neurons, spent, flags=flags), identities


def _add_intensities(run: RunFolder, simulation: Simulation, rng: np.random.Generator) -> None:
    light, numbers = simulation.world.light, simulation.world.animal.identity
    neurons = run.load_table("neurons")
    column = np.searchsorted(numbers, neurons["identity"].to_numpy().clip(0))
    volume = neurons["volume"].to_numpy()
    for name, values in (("red", light.red), ("green", light.green)):
        seen = values[volume, column.clip(0, values.shape[1] - 1)] * np.exp(rng.normal(0, 0.04, len(volume)))
        neurons = neurons.with_columns(
            pl.Series(name, seen), pl.Series(f"background_{name}", np.full(len(volume), 120.0))
        )
    run.save_table("neurons", neurons)


def _add_traces(run: RunFolder) -> None:
    neurons, volumes = run.load_table("neurons"), run.load_table("volumes").select("volume", "time_s")
    identities = neurons.filter(pl.col("identity") >= 0).select("identity").unique().sort("identity")
    seen = neurons.select("identity", "volume", "red", "green", "probability")
    rows = identities.join(volumes, how="cross").join(seen, on=["identity", "volume"], how="left")
    valid = pl.col("red").is_not_null() & (pl.col("probability") > 0.8)
    ratio = pl.when(valid).then(pl.col("green") / pl.col("red"))
    rows = rows.with_columns(ratio=ratio, valid=valid.fill_null(False)).with_columns(
        dr_r0=pl.col("ratio") / pl.col("ratio").quantile(0.2).over("identity") - 1
    )
    run.save_table("traces", rows)
