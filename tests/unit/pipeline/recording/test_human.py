"""What people say wins over what the machine says, and costs only the second pass."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cases.recorded import VOXEL, FakeExecutor, make_outcome, save_numbers
from cender.annotate.apply import apply_edit
from cender.annotate.edits import DeleteNeuron, FlagUnusable, MoveNeuron, NameIdentity, SetHead
from cender.annotate.marks import HeadMark, Spot
from cender.annotate.overlay import Corrected
from cender.annotate.overlay import lay_over as lay_state_over
from cender.annotate.state import State
from cender.config import load_config
from cender.errors import DataError
from cender.io.results.advice import suggest_annotation
from cender.io.results.annotations.human import describe_volume, save_human
from cender.io.results.annotations.log import EditLog
from cender.pipeline import run as run_module
from cender.pipeline.recording import recording_pass
from cender.pipeline.run import Run, run_recording
from cender.types import Annotation, Identities, Regions

AWAY = (1.5, 40.0, 40.0)


def find(volume: int = 0) -> Annotation:
    """What the made-up executor finds: three neurons 4 µm apart."""
    bare = Annotation.from_points(volume, make_outcome(volume).neurons.centre_px * np.array(VOXEL))
    return replace(bare, voxel_um=VOXEL)


def say(volume: int, rows: list[int], identity: list[int], complete: bool = False, moved: float = 0.3) -> Annotation:
    """A person who marks some of them, a little beside the machine's places; row -1 is a neuron somewhere else."""
    place = np.concatenate([find(volume).centre_um, [AWAY]])[rows] + moved
    bare = Annotation.from_points(volume, place, np.array(identity, int))
    return replace(bare, complete=complete, voxel_um=VOXEL)


def lay_over(found: Annotation, said: Annotation) -> Corrected:
    state, _ = apply_edit(State(), describe_volume(said))
    return lay_state_over(found, state.volume(said.volume))


def test_places_decide_who_is_meant() -> None:
    one = lay_over(find(), say(0, [2, 0], [7, -1]))
    assert one.given.tolist() == [-1, -1, 7]
    assert not one.refused.any(), "somebody who did not mark all neurons says nothing of the others"
    assert lay_over(find(), say(0, [2], [7], moved=2.5)).given.tolist() == [-1, -1, -1, 7], "too far away: another one"


def test_the_run_says_that_imported_points_lie_beside_the_light() -> None:
    place = np.random.default_rng(0).uniform(0, [24, 30, 60], (40, 3))
    found = replace(Annotation.from_points(3, place), voxel_um=VOXEL)
    said = replace(found, centre_um=place + np.array([2.4, 0.0, 0.0]), identity=np.arange(40))
    one = lay_over(found, said)
    assert (one.given[:40] == np.arange(40)).sum() >= 38
    assert not one.shaped[:40].any(), "the machine's places stand"
    (note,) = recording_pass.describe_shifts({3: one, 4: lay_over(find(4), say(4, [0], [7]))})
    assert "1 annotated volume (first: 3)" in note
    assert "2.4, 0.0, 0.0 µm" in note


def test_who_marked_all_refuses_the_rest() -> None:
    one = lay_over(find(), say(0, [2, 0], [7, -1], complete=True))
    assert one.refused.tolist() == [False, True, False]
    assert one.lesson.identity.tolist() == [-1, 7]
    settled = one.settle(Identities(np.array([4, 5, 6]), np.full(3, 0.8)))
    assert settled.identity.tolist() == [4, -1, 7]
    assert settled.probability.tolist() == [0.8, 0.8, 1.0]


def test_a_number_is_there_once_and_the_person_has_it() -> None:
    settled = lay_over(find(), say(0, [2], [5])).settle(Identities(np.array([4, 5, 6]), np.full(3, 0.8)))
    assert settled.identity.tolist() == [4, -1, 5]


def test_boxes_of_added_neurons_come_along() -> None:
    box = Regions.from_boxes(np.array([1, 2, 1]), np.tile([80.0, 80.0, 3.0, 3.0], (3, 1)), neuron=np.array([1, 1, 0]))
    one = lay_over(find(), replace(say(0, [0, -1], [3, 9]), regions=box))
    assert one.given.tolist() == [3, -1, -1, 9]
    assert one.annotation.regions.neuron.tolist() == [0, 3, 3]
    assert one.redrawn.tolist() == [True, False, False, True]


def name_by_row(volumes, annotated, config, on_step, **more) -> dict[int, Identities]:
    SEEN.append(annotated)
    return {one.volume: Identities(100 + np.arange(len(one)), np.full(len(one), 0.9)) for one in volumes}


SEEN: list[dict[int, Annotation]] = []


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Run, list[int]]]:
    """Run, and say which volumes were worked on."""
    film = save_numbers(tmp_path / "film.h5", 6)
    monkeypatch.setattr(recording_pass, "identify_recording", name_by_row)
    SEEN.clear()

    def call() -> tuple[Run, list[int]]:
        executor = FakeExecutor()
        monkeypatch.setattr(run_module, "choose_executor", lambda *_: executor)
        return run_recording(film, tmp_path / "worm", load_config(None, ["run.part_volumes=4"])), executor.asked

    return call


def test_people_win_in_the_tables_and_images_are_not_touched(go, tmp_path) -> None:
    before = go()[0].neurons
    assert set(before["source"]) == {"machine"}
    box = Regions.from_boxes(np.array([1]), np.array([[3.0, 3.0, 3.0, 3.0]]), neuron=np.array([1]))
    save_human(tmp_path / "worm", replace(say(2, [1, -1], [40, 41]), regions=box))
    run, asked = go()
    assert asked == []
    assert run.summary.redone[0].startswith("identities and traces: annotations was not there")
    rows = run.neurons.filter(pl.col("volume") == 2)
    assert rows["identity"].to_list() == [0, 40, 2, 41]
    assert rows["source"].to_list() == ["machine", "human", "machine", "human"]
    assert rows["probability"].to_list() == [0.9, 1.0, 0.9, 1.0]
    assert rows["red"].is_null().to_list() == [False, False, False, False], "what only a person saw has its brightness"
    assert_frame_equal(run.neurons.filter(pl.col("volume") != 2), before.filter(pl.col("volume") != 2))
    assert run.regions.filter(pl.col("source") == "human").select("volume", "neuron", "z").rows() == [(2, 3, 1)]
    assert run.traces.filter((pl.col("identity") == 40) & (pl.col("volume") == 2))["valid"].to_list() == [True]
    assert any("identities from them: 2, neurons that only they saw: 1, " in line for line in run.summary.advice)
    assert 2 not in [one.volume for one in suggest_annotation(run.path).volumes], "it is annotated"
    again = go()[0].summary
    assert again.redone == (), "and then there is nothing left to do"
    assert any("identities from them: 2, " in line for line in again.advice), "but it is said again"


def test_annotated_volumes_are_what_is_learnt_from(go, tmp_path) -> None:
    go()
    save_human(tmp_path / "worm", say(2, [1, 0], [40, 7], complete=True))
    save_human(tmp_path / "worm", say(90, [1], [40]))
    run, _ = go()
    assert SEEN[0] == {}
    assert {volume: one.identity.tolist() for volume, one in SEEN[1].items()} == {2: [7, 40]}
    assert any("does not cover" in line and "90" in line for line in run.summary.advice)


def test_a_number_that_was_taken_back_is_not_given_to_another(go, tmp_path) -> None:
    assert set(go()[0].neurons["identity"]) == {0, 1, 2}
    save_human(tmp_path / "worm", say(2, [0], [0]))
    save_human(tmp_path / "worm", say(2, [0], [1]))
    (tmp_path / "worm" / "neurons.parquet").unlink()
    machine = go()[0].neurons.filter(pl.col("source") == "machine")["identity"]
    assert set(machine) == {2, 3, 4}


def test_people_s_identities_stay_where_the_machine_has_none(go, tmp_path, monkeypatch) -> None:
    def refuse(*words: object, **more: object) -> dict[int, Identities]:
        raise DataError("too few neurons")

    go()
    save_human(tmp_path / "worm", say(2, [1], [40]))
    monkeypatch.setattr(recording_pass, "identify_recording", refuse)
    run, _ = go()
    assert run.neurons.filter(pl.col("identity") >= 0).select("volume", "identity").rows() == [(2, 40)]
    assert any("no identities but those that people gave" in line for line in run.summary.advice)


def test_damaged_annotations_stop_the_run_with_the_old_tables_in_place(go, tmp_path) -> None:
    before = go()[0].neurons
    (tmp_path / "worm" / "annotations.sqlite").write_bytes(b"spilt coffee")
    with pytest.raises(DataError, match="move it away to go on without"):
        go()
    assert_frame_equal(pl.read_parquet(tmp_path / "worm" / "neurons.parquet"), before)


def test_what_people_move_delete_flag_turn_and_name_is_so_in_the_tables(go, tmp_path) -> None:
    first = go()[0]
    neurons, regions = first.neurons, first.regions
    spots = [
        Spot(volume=2, key=f"m{row}", place_um=tuple(place)) for row, place in enumerate(find(2).centre_um.tolist())
    ]
    head = HeadMark(origin_yx=(3, 4), anterior_yx=(2, 0), ventral_yx=(0, 1))
    with EditLog(tmp_path / "worm") as log:
        log.append("ana", MoveNeuron(spot=spots[0], centre_um=(1.5, 2.0, 2.0)))
        log.append("ana", DeleteNeuron(spot=spots[1]))
        log.append("ana", FlagUnusable(volume=3, reason="blurred"))
        log.append("ana", SetHead(volume=2, head=head))
        log.append("ana", NameIdentity(identity=2, name="AVAL"))
    run, asked = go()
    assert asked == [], "the volume pass is not repeated"
    rows = run.neurons.filter(pl.col("volume") == 2)
    assert rows["neuron"].to_list() == [0, 2], "what is no neuron is in no table"
    assert set(run.regions.filter(pl.col("volume") == 2)["neuron"]) == {0, 2}
    assert (rows["y_um"][0], rows["x_px"][0]) == (2.0, 4.0)
    assert rows["source"].to_list() == ["human", "machine"]
    old = neurons.filter((pl.col("volume") == 2) & (pl.col("neuron") == 0))
    assert rows["red"][0] != old["red"][0], "its brightness is that of its new place"
    volumes = {row["volume"]: row for row in run.volumes.iter_rows(named=True)}
    assert volumes[3]["status"] == "flagged"
    assert "blurred" in volumes[3]["reason"]
    assert (volumes[2]["anterior_y"], volumes[2]["anterior_x"]) == (1.0, 0.0)
    assert not run.traces.filter((pl.col("volume") == 3) & pl.col("valid")).height, "an unusable volume gives no traces"
    identities = pl.read_csv(tmp_path / "worm" / "identities.csv")
    assert identities.filter(pl.col("identity") == 2)["name"].to_list() == ["AVAL"]
    assert "AVAL" in (tmp_path / "worm" / "traces_wide.csv").read_text().splitlines()[0]
    with EditLog(tmp_path / "worm") as log:
        while log.undo("ana"):
            pass
    back = go()[0]
    assert_frame_equal(back.neurons, neurons)
    assert_frame_equal(back.regions, regions)


def test_corrections_teach_even_where_they_use_known_identities_only(monkeypatch) -> None:
    config = load_config(None, ["recognize.weights=some.safetensors"])
    first, second = say(0, [0], [7]), say(1, [1], [7])
    learnt = frozenset({recording_pass.hash_lesson(first)})
    monkeypatch.setattr(recording_pass, "find_learnt", lambda config: learnt)
    choose = recording_pass._choose_lessons
    assert choose({0: first}, config, frozenset({7})) == ({}, []), "it has learnt this"
    assert choose({0: first, 1: second}, config, frozenset({7}))[0] == {0: first, 1: second}
    kept, notes = choose({1: second}, config, frozenset({7, 8}))
    assert kept == {}, "what it knows beyond this folder is not thrown away"
    assert "1 identity outside of them" in notes[0]
    assert choose({1: second}, config, frozenset({8}))[0] == {1: second}, "but who is new must be learnt"
