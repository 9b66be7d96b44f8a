"""The second pass, over the tables: identities, traces, and every table in its place."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

from cender.config import Config
from cender.io.results.assembly import assemble_tables, load_annotations
from cender.io.results.outcomes import tabulate_outcomes
from cender.io.results.parts import Part
from cender.io.results.run_folder import RunFolder
from cender.io.results.run_results import load_centres
from cender.pipeline.numbering import keep_numbers
from cender.pipeline.plan import Plan, find_chosen
from cender.pipeline.volume_pass import load_unreadable
from cender.pipeline.work import Work
from cender.types import Annotation, Identities, Outcome, VoxelSize

Identify = Callable[[Sequence[Annotation], Mapping[int, Annotation], Config], Mapping[int, Identities]]


def leave_unnamed(
    volumes: Sequence[Annotation], annotated: Mapping[int, Annotation], config: Config
) -> dict[int, Identities]:
    """No identities at all."""
    return {}


def run_tables(work: Work, plan: Plan, folder: RunFolder, identify: Identify = leave_unnamed) -> pl.DataFrame:
    """Make identities and traces, and put all tables in place; returns the table of volumes."""
    parts, chosen = find_chosen(plan), set(plan.chosen)
    known = _identify(work, parts, chosen, folder, identify)
    with assemble_tables(work.path) as tables:
        for name in ("timings", "regions"):
            tables.join_parts(name, parts, chosen)
        tables.join_neurons(parts, chosen, known)
        failed = _tabulate_failed(work, plan)
        return tables.join_volumes(parts, chosen, failed, {v: work.recording.time_s(v) for v in plan.chosen})


def _identify(
    work: Work, parts: Sequence[Part], chosen: set[int], folder: RunFolder, identify: Identify
) -> dict[int, Identities]:
    volumes = list(load_annotations(parts, chosen))
    known = identify(volumes, {}, work.config)
    places = {one.volume: one for one in volumes}
    names = frozenset(folder.load_names())
    return keep_numbers(known, places, _load_earlier(folder), taken=names)


def _load_earlier(folder: RunFolder) -> Iterator[Annotation]:
    """Volumes of the last pass; none where there was none."""
    if folder.has_table("neurons"):
        yield from load_centres(folder)


def _tabulate_failed(work: Work, plan: Plan) -> pl.DataFrame:
    chosen = set(plan.chosen)
    unreadable = load_unreadable(plan.store, work.source.stamp())
    outcomes = [
        Outcome(volume, work.recording.time_s(volume), "failed", reason)
        for volume, reason in sorted(unreadable.items())
        if volume in chosen
    ]
    return tabulate_outcomes(outcomes, work.recording.voxel_um or VoxelSize(1.0, 1.0, 1.0))["volumes"]
