"""Benchmarks of annotating: their counting, on small data."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cender.bench.annotate.actions import EffortPlan, count_effort, measure_effort
from cender.bench.annotate.company import measure_company
from cender.bench.annotate.folders import make_folder
from cender.bench.annotate.waiting import measure_latency, measure_opening
from cender.bench.identity.data import make_subject
from cender.bench.identity.subject import Subject
from cender.bench.suggest import Plan, measure_choices
from cender.cli.app import app
from cender.evaluate.pairing import pair_volume
from cender.io import open_folder
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotation, Identities

TINY = {"shape": (6, 96, 96), "voxel_um": (4.0, 1.6, 1.6), "anatomy": {"neurons": (36, 40)}}

SMALL = [
    word
    for one in ("shape=[6,96,96]", "voxel_um=[4.0,1.6,1.6]", "anatomy.neurons=[36,40]")
    for word in ("--set", f"simulate.{one}")
]
SUGGEST = ["suggest", "easy", "--annotate", "1", "--draws", "1", "--volumes", "3", "--set", "simulate.volumes=4"]
EFFORT = ["annotate", "--volumes", "4", "--rounds", "1"]


def test_nothing_is_lost_and_a_long_run_opens(tmp_path: Path) -> None:
    run = make_folder(tmp_path, SimulateParams(seed=3, **TINY), 30)
    assert open_folder(run.path).load_table("volumes")["volume"].to_list() == list(range(30))
    assert measure_opening(run.path)["volumes"] == 30
    told = measure_latency(run.path, 3)
    assert told["bytes"] > 1000
    company = measure_company(run.path, people=3, edits=12)
    assert (company["lost"], company["doubled"]) == (0, 0)
    assert 20 < company["acknowledged"] <= 36


def test_actions_are_counted() -> None:
    places = np.arange(15, dtype=float).reshape(5, 3) * 10
    truth = Annotation.from_points(0, places, np.arange(5))
    right = count_effort([pair_volume(truth, truth)])
    assert (right.correcting, right.drawing) == (1, 11)
    wrong = Annotation.from_points(0, np.concatenate([places[:4], [[500.0, 0, 0]]]), np.array([0, 1, 3, -1, 9]))
    # Two numbers are wrong or lacking, one neuron is missing, one named object is none.
    effort = count_effort([pair_volume(wrong, truth)])
    assert (effort.wrong, effort.missing, effort.spurious) == (2, 1, 1)
    assert effort.correcting == 2 * 4 + 1
    # Two neurons that changed places are put right together.
    swapped = Annotation.from_points(0, places, np.array([0, 1, 3, 2, 4]))
    assert count_effort([pair_volume(swapped, truth)]).correcting == 2 + 1


def make_small_subject() -> Subject:
    truth = simulate_recording(SimulateParams(seed=4, volumes=8, **TINY)).truth()
    return make_subject(truth)


def answer_all(annotated: list[Annotation], recording: list[Annotation], seed: int) -> object:
    """A recognizer that knows the neurons by their place in the first annotated volume, or numbers them by row."""

    def recognize(volumes: list[Annotation]) -> list[Identities]:
        return [_name(one, annotated) for one in volumes]

    return recognize


def _name(one: Annotation, annotated: list[Annotation]) -> Identities:
    if not annotated:
        return Identities(np.arange(len(one)), np.full(len(one), 0.5))
    apart = np.linalg.norm(one.centre_um[:, None] - annotated[0].centre_um[None], axis=2)
    identity = annotated[0].identity[apart.argmin(axis=1)]
    _, first = np.unique(identity, return_index=True)
    once = np.isin(np.arange(len(one)), first)
    return Identities(np.where(once, identity, -1), np.full(len(one), 0.8))


def test_choices_are_compared_and_kept(tmp_path: Path) -> None:
    seen: list[bool] = []
    kept = tmp_path / "rows.jsonl"
    figures = measure_choices([make_small_subject()], answer_all, Plan(2, 2), kept, lambda done: seen.append(done.kept))
    assert seen == [False] * 5
    again = measure_choices([make_small_subject()], answer_all, Plan(2, 2), kept, lambda done: seen.append(done.kept))
    assert seen[5:] == [True] * 5
    assert again == figures
    assert set(figures["choices"]) == {"suggested", "even", "random"}
    assert all(0 <= one["accuracy"] <= 1 for one in figures["choices"].values())
    assert figures["gain_over_even"] == pytest.approx(
        figures["choices"]["suggested"]["accuracy"] - figures["choices"]["even"]["accuracy"]
    )


def test_another_rule_is_asked_again_and_trains_only_what_it_chooses_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, subject = tmp_path / "rows.jsonl", make_small_subject()
    plan, effort = Plan(2, 2), EffortPlan(rounds=1, each=2)
    measure_choices([subject], answer_all, plan, kept)
    measure_effort(subject, answer_all, effort, kept)
    for module in ("suggest", "annotate.actions"):
        monkeypatch.setattr(f"cender.bench.{module}.hash_rule", lambda: "another rule")
    seen: list[tuple[str, bool]] = []
    measure_choices([subject], answer_all, plan, kept, lambda done: seen.append((done.key.split()[-1], done.kept)))
    assert seen == [("advised", False), *((name, True) for name in ("suggested", "even", "0", "1"))]
    rounds: list[bool] = []
    measure_effort(subject, answer_all, effort, kept, lambda done: rounds.append(done.kept))
    assert rounds == [False, False]


def test_another_truth_is_measured_again(tmp_path: Path) -> None:
    kept, subject = tmp_path / "rows.jsonl", make_small_subject()
    measure_choices([subject], answer_all, Plan(2, 1), kept)
    moved = {volume: replace(one, centre_um=one.centre_um + 1.0) for volume, one in subject.truth.annotations.items()}
    other = replace(subject, truth=replace(subject.truth, annotations=moved))
    seen: list[bool] = []
    measure_choices([other], answer_all, Plan(2, 1), kept, lambda done: seen.append(done.kept))
    assert seen == [False] * 4


@pytest.mark.parametrize("words", [SUGGEST, EFFORT], ids=["suggest", "annotate"])
def test_other_weights_are_measured_again(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[int] = []

    def learn(annotated: list[Annotation], recording: list[Annotation], seed: int) -> object:
        trained.append(len(annotated))
        return answer_all(annotated, recording, seed)

    page = {"opening": {}, "latency": {}, "company": {}, "correcting": {}}
    monkeypatch.setattr("cender.bench.identity.methods.make_learner", lambda method, config: learn)
    monkeypatch.setattr(sys.modules["cender.cli.bench.annotate"], "_measure_page", lambda *_: page)
    command = ["bench", *words, "--rows", str(tmp_path / "rows.jsonl"), "--json", *SMALL]
    assert CliRunner().invoke(app, command).exit_code == 0
    before = len(trained)
    assert CliRunner().invoke(app, command).exit_code == 0
    assert len(trained) == before > 0, "the same weights: all rows are kept"
    for name in ("matcher", "dense") if words is EFFORT else ("matcher",):
        with monkeypatch.context() as patch:
            for module in ("bench.paper.identity_rows", "pipeline.plan.inputs"):
                patch.setattr(f"cender.{module}.hash_weights", lambda path, shipped, name=name: str(shipped == name))
            assert CliRunner().invoke(app, command).exit_code == 0
        assert len(trained) > before, name
        before = len(trained)


def test_effort_falls_with_annotation_and_is_kept(tmp_path: Path) -> None:
    kept = tmp_path / "rows.jsonl"
    found = measure_effort(make_small_subject(), answer_all, EffortPlan(rounds=1, each=2), kept)
    seen: list[bool] = []
    again = measure_effort(
        make_small_subject(), answer_all, EffortPlan(rounds=1, each=2), kept, lambda done: seen.append(done.kept)
    )
    assert seen == [True, True]
    assert again == found
    assert [one["annotated"] for one in found] == [0, 2]
    assert found[1]["share_of_all_volumes"] < found[0]["share_of_all_volumes"]


def test_commands_print_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["cender.cli.bench.annotate"], "REQUESTS", 5)
    monkeypatch.setattr(sys.modules["cender.cli.bench.annotate"], "ALONE", 4)
    monkeypatch.setattr(sys.modules["cender.cli.bench.annotate"], "CORRECTIONS", 2)
    monkeypatch.setattr(sys.modules["cender.cli.bench.annotate"], "LOGGED", 40)
    words = ["bench", "annotate", "--edits", "3", "--open", "5", "--volumes", "0", "--json", *SMALL]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    figures = json.loads(done.stdout)
    assert figures["company"]["lost"] == figures["alone"]["lost"] == 0
    assert figures["alone"]["people"] == 1
    assert 0 < figures["correcting"]["own_ms"]["p50"] < 60_000
    assert figures["long_log"]["edits"] == 40
    assert figures["long_log"]["open_s"] > 0
    monkeypatch.setattr("cender.bench.identity.methods.make_learner", lambda method, config: answer_all)
    done = CliRunner().invoke(app, ["bench", *SUGGEST, "--json", *SMALL])
    assert done.exit_code == 0, done.output
    assert set(json.loads(done.stdout)["choices"]) == {"suggested", "even", "random"}
