"""Gaps: neurons that a volume should show but in which none was found, looked for again in its images.

Only volumes with gaps are read again, and what was measured there is kept beside the parts.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

import numpy as np
import polars as pl
from jaxtyping import Bool, Float
from scipy.special import expit

from cender.activity import Cameras, measure_intensities
from cender.annotate.overlay import Corrected
from cender.annotate.state import VolumeState
from cender.errors import UnreadableRecording
from cender.io.results.folder.fingerprints import hash_pixels
from cender.io.results.parts.outcomes import tabulate_outcomes
from cender.io.results.parts.store import PartStore
from cender.pipeline.plan.progress import OnProgress, Progress
from cender.pipeline.plan.work import Work
from cender.pipeline.recording.brightness import draw_neurons
from cender.pipeline.recording.faint import Settled
from cender.pipeline.volumes.channels import load_cameras
from cender.pipeline.volumes.reading import PatientReader
from cender.recognize.expect import Expected, expect_neurons
from cender.recognize.judge import judge_volume
from cender.types import Annotation, Identities, Intensities, Neurons, Outcome, Regions, Volume, VoxelSize

_LOG = logging.getLogger(__name__)
ARRAYS = "gaps"
"""Name under which parts keep what was measured in gaps."""
AROUND_UM = 10.0
"""Neurons this near to a gap are measured together with it, since they share its light."""
FAINT_PERCENT = 10
"""Share of the neurons of a volume, in percent, that are fainter than a faint one."""
LEAST = 0.65
"""Probability that there is a neuron, and that it is the expected one, from which on it is taken."""
JUDGE = np.array([1.19, -2.17, 1.13, 1.24])
"""Weights of the columns of `describe_gaps` in the log-odds, as `python -m cender.bench.gaps` fits them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a recording shows so far: its volumes without what is no neuron, their identities, and the red light.

    ``closed`` are volumes in which a person has seen every neuron; ``given`` are identities that people gave, and
    ``barred_um`` places, by volume, where a person says that there is no neuron.
    """

    volumes: Mapping[int, Annotation]
    known: Mapping[int, Identities]
    red: Mapping[int, Float[np.ndarray, " _"]]
    closed: frozenset[int] = frozenset()
    given: frozenset[int] = frozenset()
    barred_um: Mapping[int, Float[np.ndarray, "_ 3"]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gap:
    """What was looked for in one volume: its boxes (``regions.neuron`` is the row here) and the light in them.

    ``faint_red`` is the red light of a faint neuron of this volume, NaN where none was measured.
    """

    expected: Expected
    regions: Regions
    light: Intensities
    faint_red: float

    def select(self, kept: Bool[np.ndarray, " k"]) -> "Gap":
        """Some of them."""
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        regions = self.regions.select(kept[self.regions.neuron])
        light = Intensities(*(getattr(self.light, column.name)[kept] for column in fields(self.light)))
        return Gap(self.expected.select(kept), replace(regions, neuron=number[regions.neuron]), light, self.faint_red)


def measure_gaps(work: Work, store: PartStore, seen: Seen, on_progress: OnProgress) -> dict[int, Gap]:
    """All gaps of a recording, by volume, with the light that is there; a recording out of reach has none."""
    cameras = load_cameras(store)
    wanted = set(seen.volumes) - seen.closed
    expected = expect_neurons(list(seen.volumes.values()), seen.known, wanted, seen.given, seen.barred_um)
    if cameras is None or not expected:
        return {}
    reader = PatientReader(work.source, work.config.run.wait_s, work.recording)
    kept = store.load_arrays(ARRAYS) or {}
    measured: dict[str, np.ndarray] = {}
    found = {}
    for done, (volume, one) in enumerate(expected.items()):
        on_progress(Progress("gaps", done, len(expected)))
        neurons = draw_gaps(one, seen, volume, work.recording.scale)
        fingerprint = hash_pixels(np.column_stack([neurons.regions.neuron, neurons.regions.z, neurons.regions.box_px]))
        light = kept.get(fingerprint)
        if light is None:
            try:
                light = _read_light(reader, volume, neurons, cameras, work)
            except UnreadableRecording as error:
                _LOG.warning("gaps were not looked at: %s", error)
                return {}
        if light is None:
            continue
        measured[fingerprint] = light
        mine = neurons.regions.neuron >= len(neurons) - len(one)
        regions = neurons.regions.select(mine)
        regions = replace(regions, neuron=regions.neuron - (len(neurons) - len(one)))
        found[volume] = Gap(one, regions, Intensities(*light[-len(one) :].T), _find_faint(seen.red[volume]))
    if measured.keys() != kept.keys():
        store.save_arrays(ARRAYS, measured)
    return found


def _find_faint(red: Float[np.ndarray, " m"]) -> float:
    known = red[np.isfinite(red)]
    return float(np.percentile(known, FAINT_PERCENT)) if len(known) else np.nan


def _read_light(
    reader: PatientReader, volume: int, neurons: Neurons, cameras: Cameras, work: Work
) -> Float[np.ndarray, "m 4"] | None:
    """Red, green and their backgrounds of these neurons; None where the volume cannot be read."""
    read = reader.read(volume)
    if not isinstance(read, Volume):
        _LOG.warning("volume %d: gaps were not looked at: %s", volume, read)
        return None
    light = measure_intensities(read.stack, neurons, cameras, work.config.activity)
    return np.column_stack([getattr(light, column.name) for column in fields(light)])


def draw_gaps(expected: Expected, seen: Seen, volume: int, voxel_um: VoxelSize) -> Neurons:
    """The neurons of a volume that lie around its gaps, then the expected ones, with the boxes of their source."""
    here = seen.volumes[volume]
    apart_um = np.linalg.norm(here.centre_um[:, None] - expected.centre_um[None], axis=2).min(axis=1, initial=np.inf)
    near = here.select(apart_um < AROUND_UM)
    parts = [near.regions.select(near.regions.neuron >= 0)]
    for row, (source, number) in enumerate(zip(expected.source.tolist(), expected.row.tolist(), strict=True)):
        other = seen.volumes[source]
        boxes = other.regions.select(other.regions.neuron == number)
        shift = (expected.centre_um[row] - other.centre_um[number]) / np.array(voxel_um)
        box = boxes.box_px + np.array([shift[2], shift[1], 0.0, 0.0])
        z = boxes.z + round(float(shift[0]))
        drawn = Regions.from_boxes(z, box, neuron=np.full(len(z), len(near) + row))
        parts.append(drawn.select(drawn.z >= 0))
    names = [column.name for column in fields(Regions)]
    regions = Regions(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
    centre_px = np.concatenate([near.centre_um, expected.centre_um]) / np.array(voxel_um)
    z_px = np.maximum(np.rint(centre_px[:, 0]), 0).astype(int)
    return Neurons(centre_px, z_px, z_px, np.ones(len(centre_px)), regions)


def gather_seen(
    work: Work,
    places: Mapping[int, Annotation],
    settled: Settled,
    corrected: Mapping[int, Corrected],
    said: Mapping[int, VolumeState],
    red: Mapping[int, Float[np.ndarray, " _"]],
) -> Seen:
    """What is known of a recording before its gaps are looked at.

    Volumes that are not to be used, or whose identities are doubtful, are left out. ``red`` is the light of the
    machine's neurons, by volume.
    """
    unusable = {volume for volume, one in said.items() if one.unusable is not None}
    volumes, known, light = {}, {}, {}
    for volume, one in places.items():
        told = settled.known.get(volume)
        if told is None or volume in unusable or judge_volume(told, work.config.recognize.flag_below) is not None:
            continue
        # Of what people drew only the place may be known; a neuron that they removed is one without identity here.
        drawn = draw_neurons(corrected[volume], work.recording.scale).regions if volume in corrected else one.regions
        kept = ~settled.dropped.get(volume, np.zeros(len(one), bool))
        volumes[volume] = replace(one, regions=drawn).select(kept)
        known[volume] = Identities(told.identity[kept], told.probability[kept])
        unlit = np.full(len(one) - len(red[volume]), np.nan)
        light[volume] = np.concatenate([red[volume], unlit])[kept]
    closed = {volume for volume, one in corrected.items() if one.annotation.complete}
    given = {int(identity) for one in corrected.values() for identity in one.given if identity >= 0}
    return Seen(volumes, known, light, frozenset(closed), frozenset(given), _find_removed(said))


def _find_removed(said: Mapping[int, VolumeState]) -> dict[int, Float[np.ndarray, "_ 3"]]:
    """Where people removed neurons, by volume; the machine may have found none there in the volume pass."""
    removed = {volume: [mark.place_um for mark in one.marks.values() if mark.removed] for volume, one in said.items()}
    return {volume: np.array(places, float) for volume, places in removed.items() if places}


def fill_gaps(gaps: Mapping[int, Gap]) -> dict[int, Gap]:
    """Gaps in which there probably is the expected neuron, with that probability; the others stay empty.

    One that is fainter than the faint neurons of its volume has a place but no light: beside a bright neighbour, what
    is left for it is mostly noise.
    """
    filled = {}
    for volume, gap in gaps.items():
        real = expit(describe_gaps(gap) @ JUDGE)
        sure = gap.expected.probability * real
        drawn = np.isin(np.arange(len(sure)), gap.regions.neuron)
        if (taken := drawn & (sure >= LEAST)).any():
            lit = gap.light.red >= gap.faint_red
            light = replace(
                gap.light, red=np.where(lit, gap.light.red, np.nan), green=np.where(lit, gap.light.green, np.nan)
            )
            likely = replace(gap, expected=replace(gap.expected, probability=sure), light=light)
            filled[volume] = likely.select(taken)
    return filled


def tabulate_gap(gap: Gap, volume: int, first: int, work: Work) -> dict[str, pl.DataFrame]:
    """Rows of neurons and regions of a gap's neurons, numbered from ``first`` on."""
    regions, expected = gap.regions, gap.expected
    frames = [regions.z[regions.neuron == row] for row in range(len(expected))]
    z_first, z_last = (np.array([int(end(mine)) for mine in frames]) for end in (np.min, np.max))
    centre_px = expected.centre_um / np.array(work.recording.scale)
    neurons = Neurons(centre_px, z_first, z_last, expected.probability, regions)
    outcome = Outcome(volume, work.recording.time_s(volume), "ok", neurons=neurons, intensities=gap.light)
    known = {volume: Identities(expected.identity, expected.probability)}
    tables = tabulate_outcomes([outcome], work.recording.scale, known)
    return {name: tables[name].with_columns(pl.col("neuron") + first) for name in ("neurons", "regions")}


def describe_gaps(gap: Gap) -> Float[np.ndarray, "k 4"]:
    """What tells a neuron that was overlooked from one that cannot be seen, one row each.

    Columns: 1; logarithm of the distance to the nearest neuron (2.5 µm is 0), beside which it may have been overlooked;
    share of the next volumes that show it; logarithm of its red light beside that of faint neurons in its volume.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        light = np.log(np.maximum(gap.light.red, 0) / gap.faint_red)
    return np.column_stack(
        [
            np.ones(len(gap.expected)),
            np.clip(np.log(gap.expected.apart_um / 2.5), -1, 1),
            gap.expected.beside,
            np.clip(np.nan_to_num(light, nan=-3.0, neginf=-3.0), -3, 2),
        ]
    )
