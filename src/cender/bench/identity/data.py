"""Recordings whose neurons are to be recognized: points of a file, true regions or detections of simulated animals."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from jaxtyping import Int

from cender.bench.identity.marked import detect_marked
from cender.bench.identity.subject import Subject, get_times, hide_identities
from cender.config import Config
from cender.errors import DataError
from cender.evaluate import pair_volume
from cender.io import load_truth
from cender.pipeline.volumes.sequence import process_recording
from cender.pipeline.volumes.volume import annotate_outcome
from cender.simulate import SimulateParams, Simulation, simulate_recording
from cender.simulate.presets import PRESETS
from cender.types import Annotation, Annotations, VoxelSize

FIRST_SEED = 9000
"""Seed of the first animal; seeds from 9000 on are for benchmarks."""
OnVolume = Callable[[int], None]


def open_points(
    path: Path, rate_hz: float | None = None, voxel_um: tuple[float, float, float] | None = None
) -> Annotations:
    """Annotated points of a truth folder, of a bare points table, or of an NPZ file.

    An NPZ file holds ``volume``, ``xyz_um`` (x y z) and ``identity`` (-1 = none), one row per neuron, and may hold
    ``time_s``; or it holds ``points_xyz``, volume × identity × 3 in pixels (NaN where a neuron is absent).

    Parameters
    ----------
    rate_hz
        Volumes per second where the file says neither times nor rate.
    voxel_um
        Size of a voxel (z y x), for points and boxes in pixels where the file does not say it.
    """
    known = None if voxel_um is None else VoxelSize(*voxel_um)
    truth = _read_npz(path, voxel_um) if path.suffix == ".npz" else load_truth(path, known, complete=True)
    return truth if rate_hz is None else replace(truth, rate_hz=rate_hz)


def make_subject(truth: Annotations, seed: int = 0) -> Subject:
    """A recording in which the true neurons themselves are to be recognized.

    The rows of every volume are put in random order, as the order of a file may give the answer away.
    """
    rng = np.random.default_rng(seed)
    rows = {volume: rng.permutation(len(one)) for volume, one in truth.annotations.items()}
    mixed = {volume: reorder(one, rows[volume]) for volume, one in truth.annotations.items()}
    hidden = {volume: hide_identities(one) for volume, one in mixed.items()}
    return Subject(replace(truth, annotations=mixed), hidden, mixed, get_times(truth))


def choose_volumes(subject: Subject, volumes: slice) -> Subject:
    """The volumes whose numbers lie in a range (and, with a step, every n-th of them in order)."""
    last = float("inf") if volumes.stop is None else volumes.stop
    inside = [volume for volume in sorted(subject.truth.annotations) if (volumes.start or 0) <= volume < last]
    if not inside:
        raise DataError(f"--volumes: {subject.truth.source} has none of these volumes")
    return keep_volumes(subject, inside[:: volumes.step or 1])


def keep_volumes(subject: Subject, volumes: Collection[int]) -> Subject:
    """The same recording as if it had these volumes only."""
    chosen = frozenset(volumes)
    mixed, taught = (
        {volume: one for volume, one in part.items() if volume in chosen}
        for part in (subject.truth.annotations, subject.taught)
    )
    seen = {volume: one for volume, one in subject.seen.items() if volume in chosen}
    # What is recognized are the true neurons themselves where both were the same.
    taught = mixed if subject.truth.annotations is subject.taught else taught
    return Subject(replace(subject.truth, annotations=mixed), seen, taught, subject.time_s)


def simulate_subject(params: SimulateParams) -> Subject:
    """A simulated animal whose true regions are to be recognized; nothing is drawn for that."""
    return make_subject(simulate_recording(params).truth(), params.seed)


def detect_subject(params: SimulateParams, config: Config, on_volume: OnVolume = lambda volume: None) -> Subject:
    """A simulated animal whose neurons have to be found in its images first.

    An annotator puts the true identities on the found neurons that match a true one.
    """
    simulation: Simulation = simulate_recording(params)
    truth, voxel = simulation.truth(), VoxelSize(*params.voxel_um)
    seen: dict[int, Annotation] = {}
    for outcome in process_recording(simulation.recording, config):
        if outcome.neurons is not None and len(outcome.neurons):
            seen[outcome.volume] = hide_identities(annotate_outcome(outcome, voxel))
        on_volume(outcome.volume)
    taught = {volume: put_identities(one, truth.annotations[volume]) for volume, one in seen.items()}
    return Subject(truth, seen, taught, get_times(truth))


def is_preset(where: str) -> bool:
    """Whether this is a preset of the simulator and no file of that name."""
    return where in PRESETS and not Path(where).exists()


def open_subjects(
    where: str, config: Config, repeats: int, seed: int = 0, rate_hz: float | None = None, *, images: bool = False
) -> list[Subject]:
    """One recording for each repeat: that of a file, or another simulated animal every time.

    Parameters
    ----------
    where
        A preset of the simulator, which the settings must have, or what `open_points` reads.
    images
        Find the neurons in the images of simulated animals, or of a file that has images, instead of taking the true
        ones.
    """
    if images and not is_preset(where):
        return [detect_marked(Path(where), config)] * repeats
    if not is_preset(where):
        return [make_subject(open_points(Path(where), rate_hz, config.recording.voxel_um), seed)] * repeats
    animals = [number_animal(config, seed + repeat) for repeat in range(repeats)]
    return [detect_subject(animal, config) if images else simulate_subject(animal) for animal in animals]


def number_animal(config: Config, number: int) -> SimulateParams:
    """Settings of the n-th unseen animal: seeds of benchmarks start at 9000."""
    return config.simulate.model_copy(update={"seed": FIRST_SEED + number})


def put_identities(found: Annotation, truth: Annotation) -> Annotation:
    """The found neurons with the identities of the true ones that they match; -1 for those that match none."""
    partner = pair_volume(found, truth).partners.partner_of_predicted
    identity = np.full(len(found), -1)
    identity[partner >= 0] = truth.identity[partner[partner >= 0]]
    return replace(found, identity=identity, probability=np.ones(len(found)))


def reorder(annotation: Annotation, rows: Int[np.ndarray, " m"]) -> Annotation:
    """The same neurons in another order: row i is what was row ``rows[i]``."""
    place = np.append(np.argsort(rows), -1)
    return replace(
        annotation,
        centre_um=annotation.centre_um[rows],
        identity=annotation.identity[rows],
        probability=annotation.probability[rows],
        regions=replace(annotation.regions, neuron=place[annotation.regions.neuron]),
    )


def _read_npz(path: Path, voxel_um: tuple[float, float, float] | None) -> Annotations:
    try:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except (OSError, ValueError, BadZipFile) as error:
        raise DataError(f"{path} cannot be read as an NPZ file: {error}") from None
    if "points_xyz" in arrays:
        return _read_pixels(path, arrays["points_xyz"], voxel_um)
    lacking = [name for name in ("volume", "xyz_um", "identity") if name not in arrays]
    if lacking:
        raise DataError(f"{path}: expected arrays volume, xyz_um and identity; {' and '.join(lacking)} is missing")
    volume, points, identity = arrays["volume"], arrays["xyz_um"], arrays["identity"]
    if points.shape != (len(volume), 3) or identity.shape != volume.shape:
        raise DataError(
            f"{path}: expected volume (n), xyz_um (n × 3) and identity (n); found "
            f"{volume.shape}, {points.shape} and {identity.shape}"
        )
    order = np.argsort(volume, kind="stable")
    names, starts = np.unique(volume[order], return_index=True)
    annotations, times = {}, {}
    for name, rows in zip(names.tolist(), np.split(order, starts[1:]), strict=True):
        centre_um = points[rows][:, ::-1].astype(float)
        annotations[name] = Annotation.from_points(name, centre_um, identity[rows].astype(int))
        if "time_s" in arrays:
            times[name] = float(arrays["time_s"][rows[0]])
    return Annotations(str(path), None, None, annotations, time_s=times)


def _read_pixels(path: Path, points: np.ndarray, voxel_um: tuple[float, float, float] | None) -> Annotations:
    if points.ndim != 3 or points.shape[2] != 3:
        raise DataError(f"{path}: expected points_xyz as volume × identity × 3, found {points.shape}")
    if voxel_um is None:
        raise DataError(f"{path}: points_xyz are pixels; give their size in µm, --set recording.voxel_um=[z,y,x]")
    centre_um = points[:, :, ::-1].astype(float) * np.array(voxel_um)
    annotations = {}
    for volume, places in enumerate(centre_um):
        there = np.flatnonzero(np.isfinite(places).all(axis=1))
        annotations[volume] = Annotation.from_points(volume, places[there], there)
    return Annotations(str(path), None, None, annotations)
