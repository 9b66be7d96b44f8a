"""Simulated recordings beside real ones: the same figures, measured in the same way on both."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int, UInt16

from cender.bench.realism.cameras import measure_camera
from cender.bench.realism.kinetics import measure_kinetics
from cender.bench.realism.motions import average, measure_bending, measure_cloud, measure_step
from cender.errors import DataError
from cender.simulate import SimulateParams, Simulation, simulate_recording
from cender.simulate.motion import ARC_STEP_UM, bend_centre_line

SEEDS = (9001, 9002, 9003)
"""Seeds of the simulated animals that are compared with the real ones."""
VOLUMES = 40
"""Volumes that are simulated of each animal."""
# The real sets that the figures are compared with are sampled at these rates.
NERVE_HZ, TRACE_STEP_S, LINE_STEP_S = 6.0, 0.6, 0.024
# A grown hermaphrodite is about a millimetre long.
BODY_UM = 1000.0
UNITS = {"camera": "counts", "anatomy": "µm", "motion": "µm", "activity": "", "bending": "rad"}
Figures = dict[str, float]
Cloud = tuple[Float[np.ndarray, "n 3"], Int[np.ndarray, " n"]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure of real data and of simulated recordings, each from the lowest to the highest."""

    group: str
    figure: str
    unit: str
    real: tuple[float, float]
    simulated: tuple[float, float]
    source: str

    def as_json(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "group": self.group,
            "figure": self.figure,
            "unit": self.unit,
            "real": list(self.real),
            "simulated": list(self.simulated),
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Realism:
    """The comparison, and the frames that it was made of: real and simulated, red camera."""

    comparisons: tuple[Comparison, ...]
    real_frames: UInt16[np.ndarray, "k y x"]
    simulated_frames: tuple[UInt16[np.ndarray, "k y x"], ...]
    preset: str
    preset_hash: str


def compare_with_real(
    folder: Path,
    params: SimulateParams | None = None,
    seeds: Iterable[int] = SEEDS,
    on_step: Callable[[str], None] | None = None,
) -> Realism:
    """Compare simulated recordings with the real sets in a folder (its README says what they are).

    Parameters
    ----------
    folder
        Holds ``camera_frames_raw.npz``, ``nerve.npz``, ``wormnd.csv.gz``,
        ``calcium_traces_freely_moving.npz`` and ``centerline_moving.npz``.
    params
        Of the simulator; seed, length and rate are replaced as each comparison needs it.
    seeds
        One simulated animal each.
    on_step
        Called with the name of each part that is done.
    """
    params, seeds = params or SimulateParams(), tuple(seeds)
    say = on_step or (lambda step: None)
    real_frames = _open(folder, "camera_frames_raw.npz")["frames"]
    frames = tuple(take_frames(_simulate(params, seed, 2), len(real_frames)) for seed in seeds)
    rows = _pair("camera", [measure_camera(real_frames)], map(measure_camera, frames), "camera frames")
    say("camera")
    clouds = [follow_neurons(_simulate(params, seed, VOLUMES, NERVE_HZ)) for seed in seeds]
    nerve = load_nerve(folder)
    static = [_measure_clouds(cloud) for cloud in clouds]
    rows += _pair("anatomy", [_measure_clouds(nerve)], static, "NeRVE, one moving worm")
    rows += _pair("anatomy", load_heads(folder), static, "WormND, 7 labs")
    rows += _pair("motion", [measure_motion(nerve)], map(measure_motion, clouds), "NeRVE, one moving worm")
    say("anatomy and motion")
    rows += _pair("activity", load_kinetics(folder), [_see_kinetics(params, seed) for seed in seeds], "5 worms")
    say("activity")
    rows += _pair("bending", [load_bending(folder)], [_see_bending(params, seed) for seed in seeds], "one worm")
    say("bending")
    return Realism(tuple(rows), real_frames, frames, params.preset, params.hash)


def take_frames(simulation: Simulation, count: int) -> UInt16[np.ndarray, "k y x"]:
    """Successive frames from the middle of a simulated volume's red channel."""
    red = simulation.recording.read(1, (0,))[0]
    first = max(0, (len(red) - count) // 2)
    return np.asarray(red[first : first + count])


def follow_neurons(simulation: Simulation) -> dict[int, Cloud]:
    """Centres (``z y x``, µm) and identities of every volume."""
    annotations = (simulation.annotate(volume) for volume in range(len(simulation.recording)))
    return {one.volume: (one.centre_um, one.identity) for one in annotations}


def measure_motion(clouds: Mapping[int, Cloud]) -> Figures:
    """Medians of the steps between successive volumes, over neurons known in both."""
    steps = []
    for volume, (before, identity) in clouds.items():
        after, later = clouds.get(volume + 1, (before[:0], identity[:0]))
        common, first, second = np.intersect1d(identity, later, return_indices=True)
        known = common >= 0
        if known.sum() >= 10:
            steps.append(measure_step(before[first[known]], after[second[known]]))
    return average(steps)


def load_nerve(folder: Path) -> dict[int, Cloud]:
    """Volumes of the freely moving worm of Nguyen et al. 2017."""
    data = _open(folder, "nerve.npz")
    order = np.argsort(data["volume"], kind="stable")
    volume = data["volume"][order]
    edges = np.flatnonzero(np.diff(volume)) + 1
    points = np.split(data["xyz_um"][order][:, ::-1].astype(float), edges)
    identity = np.split(data["identity"][order].astype(int), edges)
    return {int(v): (p, i) for v, p, i in zip(np.unique(volume), points, identity, strict=True)}


def load_heads(folder: Path) -> list[Figures]:
    """Static figures of the annotated heads, medians by laboratory."""
    import polars as pl

    path = _find(folder, "wormnd.csv.gz")
    table = pl.read_csv(path, infer_schema_length=None)
    by_lab: dict[str, list[Figures]] = {}
    for (lab, _), worm in table.group_by(["lab", "worm"], maintain_order=True):
        points = worm.select("z_um", "y_um", "x_um").to_numpy()
        by_lab.setdefault(str(lab), []).append(measure_cloud(points))
    return [average(worms) for worms in by_lab.values()]


def load_kinetics(folder: Path) -> list[Figures]:
    """Kinetics of every worm with calcium traces."""
    data = _open(folder, "calcium_traces_freely_moving.npz")
    return [measure_kinetics(data[key], TRACE_STEP_S) for key in data if key.endswith("_x")]


def load_bending(folder: Path) -> Figures:
    """Bending of the tracked worm; its first point is the nose, the end that the stage follows."""
    data = _open(folder, "centerline_moving.npz")
    return measure_bending(np.arctan2(np.diff(data["y"], axis=0), np.diff(data["x"], axis=0)).T, LINE_STEP_S)


def _see_kinetics(params: SimulateParams, seed: int) -> Figures:
    return measure_kinetics(_simulate(params, seed, 1600, 1 / TRACE_STEP_S).world.light.ratio, TRACE_STEP_S)


def _see_bending(params: SimulateParams, seed: int) -> Figures:
    motion = _simulate(params, seed, 500, NERVE_HZ).world.motion
    every = max(1, round(LINE_STEP_S / motion.step_s))
    _, angle = bend_centre_line(motion, slice(0, None, every))
    place = np.rint(np.arange(25) * BODY_UM / 100 / ARC_STEP_UM).astype(int)
    return measure_bending(angle[:, place], every * motion.step_s)


def _measure_clouds(clouds: Mapping[int, Cloud]) -> Figures:
    return average([measure_cloud(points) for points, _ in clouds.values()])


def _simulate(params: SimulateParams, seed: int, volumes: int, rate_hz: float | None = None) -> Simulation:
    changed = {"seed": seed, "volumes": volumes, "rate_hz": rate_hz or params.rate_hz}
    return simulate_recording(params.model_copy(update=changed))


def _pair(group: str, real: Iterable[Figures], simulated: Iterable[Figures], source: str) -> list[Comparison]:
    real, simulated = list(real), list(simulated)
    return [
        Comparison(group, figure, _unit(group, figure), _span(real, figure), _span(simulated, figure), source)
        for figure in real[0]
    ]


def _span(sets: list[Figures], figure: str) -> tuple[float, float]:
    values = [one[figure] for one in sets]
    return min(values), max(values)


def _unit(group: str, figure: str) -> str:
    special = {"neurons": "", "width of spots": "px", "rotation in the image": "°"}
    return "rad/s" if figure.startswith("turning") else special.get(figure, UNITS[group])


def _open(folder: Path, name: str) -> Mapping[str, np.ndarray]:
    with np.load(_find(folder, name), allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


def _find(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        raise DataError(f"{folder} has no {name}; give the folder of real data with --data or in CENDER_DATA")
    return folder / name
