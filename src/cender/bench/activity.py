"""How well activity is measured when every neuron is known: true regions and identities, simulated animals."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from jaxtyping import Float

from cender.activity import (
    Activity,
    ActivityParams,
    Cameras,
    ChannelMap,
    Sightings,
    compute_traces,
    estimate_cameras,
    measure_intensities,
    sample_rows,
)
from cender.bench.noise_limit import draw_limit
from cender.evaluate.identity import KnownNeurons
from cender.evaluate.traces import measure_traces
from cender.simulate import SimulateParams, Simulation, simulate_recording
from cender.types import Annotation, Neurons, Stack, Traces

FIRST_SEED = 9000
"""Seed of the first animal; seeds from 9000 on are for benchmarks."""
SMOOTH_S = 0.5
"""Time that traces are smoothed over for the smoothed figure, where the settings name none."""
# Keeps the identities of different animals apart in one table of ratios.
PER_ANIMAL = 100_000


@dataclass(frozen=True, slots=True)
class _Measured:
    """One animal: its activity, the ratios that noise alone would leave, what its cameras do, ms per volume."""

    found: Activity
    limit: dict[tuple[int, int], float]
    cameras: Cameras
    map_error_px: float
    milliseconds: list[float]


def measure_activity(
    simulate: SimulateParams,
    animals: int,
    volumes: int,
    params: ActivityParams,
    on_volume: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Correlation of R with the true ratio, median over varying neurons, with true regions and identities.

    Beside it stand the same figure after smoothing (over `SMOOTH_S` where the settings name no other time), and the
    limit: the correlation if nothing but the noise of photons and of the camera's readout were in the way
    (`draw_limit`). The map between the channels is estimated from the recording as in a run. Volumes follow each
    other.
    """
    params = params.model_copy(update={"smooth_s": params.smooth_s or SMOOTH_S})
    truth: dict[tuple[int, int], float] = {}
    smooth: dict[tuple[int, int], float] = {}
    raw: dict[tuple[int, int], float] = {}
    limit: dict[tuple[int, int], float] = {}
    measured = []
    for number in range(animals):
        seeded = {"seed": FIRST_SEED + number, "volumes": volumes}
        simulation = simulate_recording(simulate.model_copy(update=seeded))
        one = _measure_animal(simulation, params, on_volume)
        measured.append(one)
        first = PER_ANIMAL * number
        traces = one.found.traces
        raw.update(_list_ratios(traces, traces.ratio, first))
        if traces.ratio_smooth is not None:
            smooth.update(_list_ratios(traces, traces.ratio_smooth, first))
        limit.update({(first + identity, volume): value for (identity, volume), value in one.limit.items()})
        truth.update(_list_truth(simulation, traces, first))
    none = KnownNeurons(np.zeros(0, int), np.zeros(0, int), np.zeros(0, int), np.zeros(0, "U1"))
    figures, smoothed, least = (measure_traces(ratios, truth, none) for ratios in (raw, smooth, limit))
    tables = [one.found.traces for one in measured]
    return {
        "preset": simulate.preset,
        "preset_hash": simulate.hash,
        "split": f"unseen animals, seeds {FIRST_SEED}–{FIRST_SEED + animals - 1}, {volumes} consecutive volumes each",
        "correlation": figures.correlation,
        "correlation_limit": least.correlation,
        "correlation_smooth": smoothed.correlation,
        "smooth_s": params.smooth_s,
        "varying": figures.varying,
        "valid": float(np.mean(np.concatenate([one.valid[np.isfinite(one.probability)] for one in tables]))),
        "map_error_px": float(np.max([one.map_error_px for one in measured])),
        "map_residual_px": float(np.max([one.cameras.channel_map.residual_px for one in measured])),
        "maps_trusted": sum(one.cameras.channel_map.trusted for one in measured),
        "ms_per_volume": float(np.median(np.concatenate([one.milliseconds for one in measured]))),
    }


def _measure_animal(simulation: Simulation, params: ActivityParams, on_volume: Callable[[], None]) -> _Measured:
    recording = simulation.recording
    cameras = estimate_cameras((recording.volume(index).stack for index in sample_rows(len(recording))), params)
    rows: list[tuple[np.ndarray, ...]] = []
    spent, apart = [], []
    limit: dict[tuple[int, int], float] = {}
    for volume in recording:
        known = simulation.annotate(volume.index)
        stack = volume.stack
        start = process_time()
        light = measure_intensities(stack, make_neurons(known, stack), cameras, params)
        spent.append(1e3 * (process_time() - start))
        rows.append((np.full(len(known), volume.index), known.identity, known.probability, light.red, light.green))
        limit |= {(identity, volume.index): value for identity, value in draw_limit(simulation, known).items()}
        apart.append(_measure_map(simulation, known, cameras.channel_map))
        on_volume()
    sightings = Sightings(*(np.concatenate(column) for column in zip(*rows, strict=True)))
    index = np.arange(len(recording))
    times_s = np.array([recording.time_s(one) for one in index.tolist()])
    found = compute_traces(sightings, index, times_s, params)
    return _Measured(found, limit, cameras, float(np.median(apart)), spent)


def make_neurons(known: Annotation, stack: Stack) -> Neurons:
    """The neurons of an annotation in the form in which a machine finds them."""
    regions, count = known.regions, len(known)
    first, last = np.full(count, len(stack.image)), np.full(count, -1)
    np.minimum.at(first, regions.neuron, regions.z)
    np.maximum.at(last, regions.neuron, regions.z)
    return Neurons(known.centre_um / np.array(stack.voxel_um), first, last, np.ones(count), regions)


def _measure_map(simulation: Simulation, known: Annotation, channel_map: ChannelMap) -> float:
    """Distance in pixels between where green is looked for and where it is, median over regions."""
    place, true = known.regions.centre_px[:, 1:], simulation.world.green_map
    apart = channel_map.move_points(place) - (place @ true[:, :2].T + true[:, 2])
    return float(np.median(np.linalg.norm(apart, axis=1))) if len(place) else 0.0


def _list_ratios(traces: Traces, ratio: Float[np.ndarray, "k t"], first: int) -> dict[tuple[int, int], float]:
    rows, columns = np.nonzero(traces.valid)
    return {
        (first + int(traces.identity[row]), int(traces.volume[column])): float(ratio[row, column])
        for row, column in zip(rows, columns, strict=True)
    }


def _list_truth(simulation: Simulation, traces: Traces, first: int) -> dict[tuple[int, int], float]:
    """True ratio wherever the neuron was seen."""
    values = {int(volume): simulation.ratios(int(volume)) for volume in traces.volume}
    rows, columns = np.nonzero(np.isfinite(traces.probability))
    return {
        (first + int(traces.identity[row]), int(traces.volume[column])): values[int(traces.volume[column])][
            int(traces.identity[row])
        ]
        for row, column in zip(rows, columns, strict=True)
    }
