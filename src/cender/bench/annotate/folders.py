"""Run folders to annotate: a few simulated volumes, repeated until the run is as long as wanted."""

from pathlib import Path

import numpy as np
import polars as pl

from cender.io import RunFolder, create_run, save_outcomes, save_recording
from cender.simulate import SimulateParams, Simulation, simulate_recording
from cender.types import Identities, Neurons, Outcome, VoxelSize

DRAWN = 12
"""Volumes that are drawn and have pictures; the others repeat their tables."""


def make_folder(home: Path, params: SimulateParams, volumes: int) -> RunFolder:
    """A run folder of so many volumes at ``home/worm``; the first dozen have pictures in ``home/recording.npz``."""
    drawn = min(DRAWN, volumes)
    simulation = simulate_recording(params.model_copy(update={"volumes": drawn}))
    recording, source = simulation.recording, home / "recording.npz"
    save_recording(recording, source, "npz")
    facts = {
        "source": str(source),
        "shape": [volumes, *recording.shape[1:]],
        "voxel_um": list(params.voxel_um),
        "rate_hz": recording.rate_hz,
        "roles": list(recording.roles or ()),
    }
    run = create_run(home / "worm", {"recording": facts})
    rng = np.random.default_rng(params.seed)
    found = [_make_outcome(simulation, volume, rng) for volume in range(drawn)]
    known = {outcome.volume: identities for outcome, identities in found}
    save_outcomes(run, [outcome for outcome, _ in found], VoxelSize(*params.voxel_um), known)
    for name in ("volumes", "neurons", "regions"):
        run.save_table(name, _repeat(run.load_table(name), drawn, volumes))
    return run


def _make_outcome(simulation: Simulation, volume: int, rng: np.random.Generator) -> tuple[Outcome, Identities]:
    """The truth as a run would find it; one neuron in eight has no identity."""
    found = simulation.annotate(volume)
    centre_px = found.centre_um / np.array(simulation.world.params.voxel_um)
    frames = [found.regions.z[found.regions.neuron == row] for row in range(len(found))]
    first, last = (np.array([f(z) if len(z) else 0 for z in frames], int) for f in (min, max))
    sure = np.clip(rng.normal(0.9, 0.1, len(found)), 0.05, 0.999)
    neurons = Neurons(centre_px, first, last, np.full(len(found), 0.9), found.regions)
    identities = Identities(np.where(sure < 0.78, -1, found.identity), sure)
    return Outcome(volume, simulation.recording.time_s(volume), "ok", "", found.head, neurons), identities


def _repeat(table: pl.DataFrame, drawn: int, volumes: int) -> pl.DataFrame:
    """The rows of the drawn volumes again and again, under new numbers and times."""
    parts = []
    for start in range(0, volumes, drawn):
        part = table.with_columns(pl.col("volume") + start)
        if "time_s" in part.columns:
            part = part.with_columns(pl.col("time_s") + start * 0.2)
        parts.append(part)
    return pl.concat(parts).filter(pl.col("volume") < volumes)
