"""The second pass, over the tables: identities, traces, and every table in its place."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from cender.activity import Sightings, compute_traces
from cender.annotate.overlay import Corrected, count_corrections, lay_over
from cender.annotate.places import say_largest
from cender.annotate.state import IdentityState, VolumeState
from cender.config import Config
from cender.errors import DataError
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.run_folder import RunFolder
from cender.io.results.folder.run_results import load_centres
from cender.io.results.parts.assembly import Assembly, assemble_tables, load_annotations, load_column
from cender.io.results.parts.known import load_known, save_known
from cender.io.results.parts.outcomes import tabulate_outcomes
from cender.io.results.parts.store import PartStore
from cender.io.results.tables.heads import head_to_cells
from cender.io.results.tables.human import tabulate_human
from cender.io.results.tables.schemas import IDENTITIES
from cender.io.results.tables.traces import extend_identities, name_identities, tabulate_traces, widen_ratio
from cender.pipeline.plan.decide import Plan, find_chosen, make_identity_key
from cender.pipeline.plan.inputs import find_recognizer, find_template
from cender.pipeline.plan.progress import OnProgress, Progress
from cender.pipeline.plan.work import Work
from cender.pipeline.recording.brightness import measure_shaped
from cender.pipeline.recording.faint import settle_faint
from cender.pipeline.recording.gaps import fill_gaps, gather_seen, measure_gaps, tabulate_gap
from cender.pipeline.recording.numbering import keep_numbers
from cender.pipeline.recording.recognizer.identify import identify_recording
from cender.pipeline.recording.recognizer.last import keep_last
from cender.pipeline.recording.recognizer.weights import find_learnt, find_taught, hash_lesson
from cender.pipeline.recording.scale import find_scale_doubt
from cender.pipeline.recording.template import find_mirror_doubt, load_template_names
from cender.pipeline.volumes.detector import find_least_chance
from cender.pipeline.volumes.flags import find_few
from cender.pipeline.volumes.volume_pass import load_unreadable
from cender.recognize.judge import judge_volume
from cender.recognize.selfcheck import SelfCheck, check_identities
from cender.training.recognizer.train import Progress as Step
from cender.types import Annotation, Identities, Outcome, Weights
from cender.types.words import say_count

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Findings:
    """What there is to say about the tables: how far identities can be trusted (None: unknown), and what is unsure."""

    check: SelfCheck | None
    doubts: tuple[str, ...]


def run_tables(work: Work, plan: Plan, folder: RunFolder, on_progress: OnProgress, workers: int) -> Findings:
    """Make identities and traces, and put all tables in place; returns what there is to say about them.

    So many ``workers`` recognize a volume each (0: one per core, but few).
    """
    parts, chosen = find_chosen(plan), set(plan.chosen)
    places = {one.volume: one for one in load_annotations(parts, chosen, work.recording.scale)}
    with EditLog(work.path) as log:
        said = log.states()
    corrected = {volume: lay_over(places[volume], one) for volume, one in said.items() if volume in places}
    places |= {volume: one.annotation for volume, one in corrected.items()}
    known, doubts = _identify(work, plan, places, corrected, folder, on_progress, workers)
    least_chance = find_least_chance(work.config.detect, work.config.merge)
    scores = load_column(parts, chosen, "score", 1.0)
    settled = settle_faint(known, places, scores, corrected, least_chance)
    known = settled.known
    added = {}
    if work.config.recognize.fill_gaps and work.config.recognize.method == "default":
        red = load_column(parts, chosen, "red", np.nan)
        seen = gather_seen(work, places, settled, corrected, said, red)
        gaps = fill_gaps(measure_gaps(work, plan.store, seen, on_progress))
        added = {volume: tabulate_gap(one, volume, len(places[volume]), work) for volume, one in gaps.items()}
    check = check_identities(list(places.values()), known, work.config.recognize.flag_below)
    lit = measure_shaped(work, plan.store, corrected)
    human = {volume: tabulate_human(one, lit.get(volume), work.recording.scale) for volume, one in corrected.items()}
    with assemble_tables(work.path, settled.numbers, added) as tables:
        tables.join_parts("timings", parts, chosen)
        tables.join_regions(parts, chosen, human)
        unusable = {volume: one.unusable for volume, one in said.items() if one.unusable is not None}
        traced = tables.join_neurons(parts, chosen, known, human).filter(~pl.col("volume").is_in(list(unusable)))
        times = {volume: work.recording.time_s(volume) for volume in plan.chosen}
        few = find_few({volume: settled.count(one) for volume, one in places.items() if len(one)})
        failed, cells = _tabulate_failed(work, plan), _say_volumes(said, corrected)
        volumes = tables.join_volumes(parts, chosen, failed, times, cells, few)
        notes = (*_describe_human(said, corrected), *doubts, *_describe_added(added))
        return Findings(check, (*notes, *_save_traces(work, tables, volumes, traced, folder)))


def _identify(
    work: Work,
    plan: Plan,
    places: Mapping[int, Annotation],
    corrected: Mapping[int, Corrected],
    folder: RunFolder,
    on_progress: OnProgress,
    workers: int,
) -> tuple[dict[int, Identities], list[str]]:
    """Identities by volume under numbers that stay, those of people above all, and why there are none."""
    config = choose_recognizer(work.config, work.path)
    taught = find_taught(config)
    lessons = {volume: one.lesson for volume, one in corrected.items() if (one.given >= 0).any()}
    given = {int(identity) for one in lessons.values() for identity in one.identity if identity >= 0}

    annotated, untaught = _choose_lessons(lessons, config, taught)
    notes = []
    volumes = [one for one in places.values() if len(one)]
    try:
        key = make_identity_key(work, plan)
        foreign = find_template(config, work.path) is not None
        recognize = partial(identify_recording, config=config, workers=workers, foreign=foreign)
        known, weights = _recognize((key, plan.store), volumes, annotated, recognize, on_progress)
    except DataError as error:
        _LOG.warning("no identities: %s", error)
        people, others = (" but those that people gave", " of others") if given else ("", "")
        known, weights, notes = {}, None, [f"no identities{people}, and so no traces{others}: {error}"]
    with EditLog(work.path) as log:
        taken = frozenset(folder.load_names()) | log.given()
    numbered = keep_numbers(known, places, _load_earlier(folder), taught | given, taken)
    keep_last(work.path, weights, known, numbered)
    numbered |= {volume: one.settle(numbered.get(volume)) for volume, one in corrected.items()}
    mirrored = find_mirror_doubt(volumes, config, work.path)
    doubts = [*find_scale_doubt(volumes, config), *mirrored, *_find_doubts(numbered, config.recognize.flag_below)]
    return numbered, [*untaught, *(notes or doubts)]


def _choose_lessons(
    lessons: Mapping[int, Annotation], config: Config, taught: frozenset[int]
) -> tuple[Mapping[int, Annotation], list[str]]:
    """Volumes to learn from first, none where the recognizer has learnt them; and what there is to say of it.

    Corrections teach also where they use known identities only. Learning begins anew with what people said in this
    folder, so that a recognizer that knows more than that is kept, unless it does not know somebody whom they named.
    """
    if config.recognize.weights is None:
        return lessons, []
    given = {int(identity) for one in lessons.values() for identity in one.identity if identity >= 0}
    fresh = {hash_lesson(one) for one in lessons.values()} - find_learnt(config)
    if not given <= taught or (fresh and taught <= given):
        return lessons, []
    if not fresh:
        return {}, []
    words = (
        f"nothing was learnt from {say_count(len(fresh), 'volume')} with corrections, because the recognizer knows "
        f"{say_count(len(taught - given), 'identity')} outside of them; train it again with all annotated folders"
    )
    return {}, [words]


def _recognize(
    kept_as: tuple[str, PartStore],
    volumes: Sequence[Annotation],
    annotated: Mapping[int, Annotation],
    recognize: Callable[..., dict[int, Identities]],
    on_progress: OnProgress,
) -> tuple[dict[int, Identities], Weights | None]:
    """The machine's identities and its recognizer.

    Identities that were kept (under a key, in a store) are taken, without a recognizer, where all that they were made
    from is the same.
    """
    key, store = kept_as
    kept = load_known(store.root, key)
    if kept is not None and all(len(kept.get(one.volume, ())) == len(one) for one in volumes):
        return kept, None

    def tell(step: Step) -> None:
        on_progress(Progress("recording", step.step, step.steps, loss=step.loss))

    used: list[Weights] = []
    known = recognize(volumes, annotated, on_step=tell, on_weights=used.append)
    save_known(store.root, key, known)
    return known, used[0] if used else None


def _say_volumes(said: Mapping[int, VolumeState], corrected: Mapping[int, Corrected]) -> dict[int, dict[str, object]]:
    """Cells of the volumes table that people decide: a volume that is not to be used, the worm's axes."""
    cells: dict[int, dict[str, object]] = {}
    for volume, one in corrected.items():
        mine: dict[str, object] = {}
        if said[volume].head is not None:
            mine |= head_to_cells(one.annotation.head)
        if (reason := said[volume].unusable) is not None:
            mine |= {"status": "flagged", "reason": f"a person says it is unusable: {reason}", "flags": "unusable"}
        if mine:
            cells[volume] = mine
    return cells


def _describe_human(said: Mapping[int, VolumeState], corrected: Mapping[int, Corrected]) -> list[str]:
    """What of people's work is in the tables, and what is not."""
    worked = {volume for volume, one in said.items() if one.marks or one.complete or one.reviewed}
    if not worked:
        return []
    counts = count_corrections(corrected.values())
    notes = [
        f"people worked on {say_count(len(worked & set(corrected)), 'volume')}; identities from them: "
        f"{counts['named']}, neurons that only they saw: {counts['added']}, findings that are no neurons: "
        f"{counts['refused']}"
    ]
    notes += describe_shifts(corrected)
    if strange := sorted(worked - set(corrected)):
        first = ", ".join(map(str, strange[:5])) + ", …" * (len(strange) > 5)
        notes.append(f"annotated volumes that this run does not cover are kept but not used: {first}")
    return notes


def describe_shifts(corrected: Mapping[int, Corrected]) -> list[str]:
    """Volumes in which the places that people gave all lie beside the light, as they do in files of some programs."""
    shifted = [volume for volume, one in sorted(corrected.items()) if one.shift_um.any()]
    if not shifted:
        return []
    return [
        f"in {say_count(len(shifted), 'annotated volume')} (first: {shifted[0]}) all places that people gave lie "
        f"beside what is seen there, by up to {say_largest(corrected[volume].shift_um for volume in shifted)}; neurons "
        "were matched as if they did not"
    ]


def _describe_added(added: Mapping[int, Mapping[str, pl.DataFrame]]) -> list[str]:
    """How many neurons were found only because other volumes expect them."""
    if not added:
        return []
    count = sum(tables["neurons"].height for tables in added.values())
    was, them = ("was", "it") if count == 1 else ("were", "them")
    found = f"{say_count(count, 'neuron')} {was} found in {say_count(len(added), 'volume')}"
    return [f"{found} only because other volumes expect {them} there (recognize.fill_gaps)"]


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
    listed = folder.load_identities()
    with EditLog(work.path) as log:
        named = log.identities()
    own = {**folder.load_names(), **{number: one.name for number, one in named.items() if one.name}}
    carried = load_template_names(choose_recognizer(work.config, work.path), work.path, own)
    extended = extend_identities(listed, np.unique(sightings.identity).tolist())
    states = {number: IdentityState(identity=number, name=name) for number, name in carried.items()}
    extended = name_identities(name_identities(extended, states), named)
    if listed is None or not extended.equals(listed):
        tables.save_csv("identities.csv", extended, IDENTITIES)
    names = {**carried, **own}
    tables.save("traces", tabulate_traces(found.traces, names))
    tables.save_csv("traces_wide.csv", widen_ratio(found.traces, names))
    return found.notes


def _tabulate_failed(work: Work, plan: Plan) -> pl.DataFrame:
    chosen = set(plan.chosen)
    unreadable = load_unreadable(plan.store, work.source.stamp())
    outcomes = [
        Outcome(volume, work.recording.time_s(volume), "failed", unreadable[volume].reason, flags=("unreadable",))
        for volume in sorted(unreadable)
        if volume in chosen
    ]
    return tabulate_outcomes(outcomes, work.recording.scale)["volumes"]
