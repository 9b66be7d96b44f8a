"""What a run has to do, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cender
from cender.io.results.folder.fingerprints import hash_values
from cender.io.results.folder.run_folder import RunFolder
from cender.io.results.parts.store import Part, PartStore, list_volumes
from cender.pipeline.plan.inputs import (
    compare_inputs,
    describe_recording_inputs,
    describe_volume_inputs,
    use_own_detector,
)
from cender.pipeline.plan.selection import choose_volumes
from cender.pipeline.plan.work import Work
from cender.pipeline.volumes.volume_pass import load_unreadable
from cender.types.words import say_count

INPUTS = "made_from"
"""Name of the note in which parts keep what they were made from."""
TABLES = ("volumes", "regions", "neurons", "timings", "traces")
"""Tables that a finished run has."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The volumes that the tables shall cover, those still to be worked on, and the reasons.

    ``key`` is the fingerprint of the volume pass. ``reasons`` is empty where everything is up to date.
    """

    chosen: tuple[int, ...]
    todo: tuple[int, ...]
    key: str
    inputs: Mapping[str, Any]
    store: PartStore
    reasons: tuple[str, ...]


def make_plan(work: Work) -> Plan:
    """Compare what there is with what there should be; nothing is changed."""
    inputs = describe_volume_inputs(work.recording, work.probe, use_own_detector(work.config, work.path))
    key = hash_values(inputs)
    store = PartStore(work.path / "parts" / key)
    chosen = choose_volumes(work.recording, work.config.run)
    parts = store.find()
    damaged = load_unreadable(store, work.source.stamp())
    have = list_volumes(parts) | {volume for volume, why in damaged.items() if why.kind == "damaged"}
    todo = tuple(volume for volume in chosen if volume not in have)
    reasons = _explain_volumes(work, inputs, key, len(todo), len(chosen))
    if not reasons:
        reasons = explain_recording(work, key, chosen)
    return Plan(tuple(chosen), todo, key, inputs, store, tuple(reasons))


def explain_recording(work: Work, key: str, chosen: list[int]) -> list[str]:
    """Why identities, traces and tables have to be made anew; nothing where they are up to date."""
    state = work.kept.get("state", {})
    now = make_recording_inputs(work, key, chosen)
    folder = RunFolder(work.path)
    if "recording_pass" not in state:
        return ["identities and traces: not made yet"]
    lacking = [name for name in TABLES if not folder.has_table(name)]
    if lacking:
        return [f"identities and traces: {', '.join(lacking)} is not there"]
    if state["recording_pass"] == hash_values(now):
        return []
    differences = compare_inputs(dict(state.get("made_from", {})), _flatten(now))
    return [f"identities and traces: {text}" for text in differences or ["settings changed"]]


def make_recording_inputs(work: Work, key: str, chosen: list[int] | tuple[int, ...]) -> dict[str, Any]:
    """What identities and traces are made from."""
    times = hash_values({"times": [work.recording.time_s(volume) for volume in chosen]})
    return describe_recording_inputs(key, chosen, times, work.config, work.path)


def make_identity_key(work: Work, plan: Plan) -> str:
    """The fingerprint of what the machine's identities are made from; times, traces and gaps are none of it."""
    inputs = make_recording_inputs(work, plan.key, plan.chosen)
    inputs = {name: value for name, value in inputs.items() if name not in ("activity", "times", "names")}
    settings = {name: value for name, value in inputs["recognize"].items() if name != "fill_gaps"}
    return hash_values({**inputs, "recognize": settings, "cender": cender.__version__})


def make_state(work: Work, plan: Plan) -> dict[str, Any]:
    """The section ``[state]`` of run.toml once all tables are in place."""
    inputs = make_recording_inputs(work, plan.key, plan.chosen)
    return {"volume_pass": plan.key, "recording_pass": hash_values(inputs), "made_from": _flatten(inputs)}


def find_chosen(plan: Plan) -> list[Part]:
    """Parts that hold chosen volumes, in their order."""
    chosen = set(plan.chosen)
    return [part for part in plan.store.find() if not chosen.isdisjoint(range(part.first, part.stop))]


def _explain_volumes(work: Work, inputs: Mapping[str, Any], key: str, todo: int, chosen: int) -> list[str]:
    if not todo:
        return []
    before = work.kept.get("state", {}).get("volume_pass")
    made_from = None if before in (None, key) else PartStore(work.path / "parts" / before).load_note(INPUTS)
    if made_from is not None:
        return [f"all volumes: {text}" for text in compare_inputs(made_from, inputs)]
    if todo == chosen:
        return [f"{say_count(todo, 'volume')}: not worked on yet"]
    return [f"{todo} of {say_count(chosen, 'volume')}: new, or not reached last time"]


def _flatten(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Without empty values, which TOML cannot write."""
    return {key: value for key, value in inputs.items() if value is not None}
