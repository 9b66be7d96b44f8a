"""The second pass, over the tables: identities, traces, and every table in its place."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from cender.activity import Sightings, compute_traces
from cender.config import Config
from cender.errors import DataError
from cender.io.results.assembly import Assembly, assemble_tables, load_annotations
from cender.io.results.outcomes import tabulate_outcomes
from cender.io.results.parts import Part
from cender.io.results.run_folder import RunFolder
from cender.io.results.run_results import load_centres
from cender.io.results.schemas import IDENTITIES
from cender.io.results.trace_tables import extend_identities, tabulate_traces, widen_ratio
from cender.pipeline.inputs import find_recognizer
from cender.pipeline.numbering import keep_numbers
from cender.pipeline.plan import Plan, find_chosen
from cender.pipeline.progress import OnProgress, Progress, ignore_progress
from cender.pipeline.recognizer import find_taught, identify_recording
from cender.pipeline.volume_pass import load_unreadable
from cender.pipeline.work import Work
from cender.recognize.judge import judge_volume
from cender.training.recognizer import Progress as Step
from cender.types import Annotation, Identities, Outcome, VoxelSize

_LOG = logging.getLogger(__name__)


def run_tables(work: Work, plan: Plan, folder: RunFolder, on_progress: OnProgress = ignore_progress) -> tuple[str, ...]:
    """Make identities and traces, and put all tables in place; returns what there is to say about them."""
    parts, chosen = find_chosen(plan), set(plan.chosen)
    known, doubts = _identify(work, parts, chosen, folder, on_progress)
    with assemble_tables(work.path) as tables:
        for name in ("timings", "regions"):
            tables.join_parts(name, parts, chosen)
        seen = tables.join_neurons(parts, chosen, known)
        times = {volume: work.recording.time_s(volume) for volume in plan.chosen}
        volumes = tables.join_volumes(parts, chosen, _tabulate_failed(work, plan), times)
        return (*doubts, *_save_traces(work, tables, volumes, seen, folder))


def _identify(
    work: Work, parts: Sequence[Part], chosen: set[int], folder: RunFolder, on_progress: OnProgress
) -> tuple[dict[int, Identities], list[str]]:
    """Identities by volume under numbers that stay, and why there are none."""
    places = {one.volume: one for one in load_annotations(parts, chosen) if len(one)}
    config = choose_recognizer(work.config, work.path)

    def tell(step: Step) -> None:
        on_progress(Progress("recording", step.step, step.steps))

    try:
        known = identify_recording(list(places.values()), {}, config, on_step=tell)
    except DataError as error:
        _LOG.warning("no identities: %s", error)
        return {}, [f"no identities, and so no traces: {error}"]
    names = frozenset(folder.load_names())
    numbered = keep_numbers(known, places, _load_earlier(folder), find_taught(config), names)
    return numbered, _find_doubts(numbered, config.recognize.flag_below)


def _find_doubts(known: Mapping[int, Identities], flag_below: float) -> list[str]:
    """What there is to say about volumes whose identities cannot be trusted as a whole."""
    reasons = {volume: judge_volume(one, flag_below) for volume, one in known.items()}
    doubtful = {volume: reason for volume, reason in reasons.items() if reason is not None}
    if not doubtful:
        return []
    first = min(doubtful)
    return [f"{len(doubtful)} of {len(known)} volumes have doubtful identities; volume {first}: {doubtful[first]}"]


def choose_recognizer(config: Config, folder: Path) -> Config:
    """The settings, with the folder's own recognizer where it has one and they name no other."""
    own = find_recognizer(config, folder)
    if own is None:
        return config
    return config.model_copy(update={"recognize": config.recognize.model_copy(update={"weights": str(own)})})


def _load_earlier(folder: RunFolder) -> Iterator[Annotation]:
    """Volumes of the last pass; none where there was none."""
    if folder.has_table("neurons"):
        yield from load_centres(folder)


def _save_traces(
    work: Work, tables: Assembly, volumes: pl.DataFrame, seen: pl.DataFrame, folder: RunFolder
) -> tuple[str, ...]:
    values = {
        name: seen[name].fill_null(float("nan")).to_numpy().astype(float) for name in ("probability", "red", "green")
    }
    sightings = Sightings(seen["volume"].to_numpy(), seen["identity"].to_numpy(), **values)
    time_s = volumes["time_s"].fill_null(float("nan")).to_numpy()
    found = compute_traces(sightings, volumes["volume"].to_numpy(), time_s, work.config.activity)
    tables.save("traces", tabulate_traces(found.traces))
    tables.save_csv("traces_wide.csv", widen_ratio(found.traces, folder.load_names()))
    listed = folder.load_identities()
    extended = extend_identities(listed, np.unique(sightings.identity).tolist())
    if listed is None or extended.height > listed.height:
        tables.save_csv("identities.csv", extended, IDENTITIES)
    return found.notes


def _tabulate_failed(work: Work, plan: Plan) -> pl.DataFrame:
    chosen = set(plan.chosen)
    unreadable = load_unreadable(plan.store, work.source.stamp())
    outcomes = [
        Outcome(volume, work.recording.time_s(volume), "failed", reason)
        for volume, reason in sorted(unreadable.items())
        if volume in chosen
    ]
    return tabulate_outcomes(outcomes, work.recording.voxel_um or VoxelSize(1.0, 1.0, 1.0))["volumes"]
