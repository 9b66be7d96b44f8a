"""Seconds after a correction the trained recognizer names its neighbours again, and never what a person fixed."""

import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from cender.annotate.edits import Assign, ReviewIdentity, ReviewVolume
from cender.annotate.marks import Spot
from cender.config import load_config
from cender.pipeline.recording.recognizer.last import keep_last, load_last
from cender.pipeline.recording.recognizer.learn import train_weights
from cender.types import Annotation, Identities
from cender.web.desk import Desk
from cender.web.identify import Identifier
from cender.web.queue import list_queue
from cender.web.reidentify import Reidentifier
from cender.web.suspects import list_questions

WRONG = 3
QUICK = ("steps=30", "steps_each=8", "self_steps=0", "self_rounds=0", "warped=4")


def show(desk: Desk, volume: int) -> Annotation:
    found = desk.tables.found(volume)
    return replace(found.annotate(volume, desk.voxel_um), identity=found.identity)


class Taught(NamedTuple):
    """A folder, and two identities that are exchanged in one volume of its tables."""

    folder: Path
    one: int
    two: int


@pytest.fixture(scope="module")
def taught(web_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Taught:
    """A run folder whose recognizer was kept, and two neighbours whose names are exchanged in one volume."""
    folder = tmp_path_factory.mktemp("taught") / "worm"
    shutil.copytree(web_run, folder)
    (folder / "annotations.sqlite").unlink(missing_ok=True)
    desk = Desk.open(folder)
    config = load_config(sets=[f"train_recognizer.{one}" for one in QUICK])
    volumes = {volume: show(desk, volume) for volume in (0, 1, 2, 4, 6)}
    # The recognizer counts from 100; the tables have numbers of their own.
    shifted = [replace(one, identity=np.where(one.identity >= 0, one.identity + 100, -1)) for one in volumes.values()]
    weights = train_weights(shifted, [], config)
    known = {one.volume: Identities(one.identity, one.probability) for one in shifted}
    numbered = {volume: Identities(one.identity, one.probability) for volume, one in volumes.items()}
    keep_last(folder, weights, known, numbered)
    one, two = find_neighbours(desk)
    table = pl.read_parquet(folder / "neurons.parquet")
    swapped = pl.when(pl.col("volume") == WRONG).then(pl.col("identity").replace({one: two, two: one}))
    table.with_columns(identity=swapped.otherwise(pl.col("identity"))).write_parquet(folder / "neurons.parquet")
    desk.log.close()
    return Taught(folder, one, two)


def find_neighbours(desk: Desk) -> tuple[int, int]:
    """Two identities that lie next to each other in the volume and are known in the others."""
    here = show(desk, WRONG)
    common = set(here.identity.tolist())
    for volume in (0, 1, 2, 4):
        common &= set(show(desk, volume).identity.tolist())
    rows = [row for row, number in enumerate(here.identity.tolist()) if number in common - {-1}]
    away = np.linalg.norm(here.centre_um[rows][:, None] - here.centre_um[rows][None], axis=2) + 1e9 * np.eye(len(rows))
    a, b = np.unravel_index(int(away.argmin()), away.shape)
    return int(here.identity[rows[a]]), int(here.identity[rows[b]])


def test_numbers_are_those_of_the_tables(taught: Taught) -> None:
    last = load_last(taught.folder)
    assert last is not None
    given = last.numbers >= 0
    assert given.sum() > 20
    np.testing.assert_array_equal(last.numbers[given], last.model.identities[given] - 100)


def test_a_correction_names_its_neighbour_and_nothing_that_a_person_said(taught: Taught) -> None:
    folder, one, two = taught
    desk = Desk.open(folder)
    before = {each["identity"]: each for each in desk.describe_volume(WRONG)["neurons"]}
    # What the table calls #two is #one; a person says so, and of another neuron that it is nobody the machine knows.
    mine, other = before[two], before[one]
    stranger = next(each for key, each in before.items() if key not in (one, two, -1))
    for each, number in ((mine, one), (stranger, 7000)):
        spot = Spot(volume=WRONG, key=each["key"], place_um=each["anchor_um"])
        desk.log.append("ana", Assign(spots=(spot,), identity=number))
    left = {each["key"]: each for each in desk.describe_volume(WRONG)["neurons"]}
    assert left[other["key"]]["identity"] == -1, "its name went to the corrected one"

    done, seen = threading.Event(), list[int]()

    def hear(volumes: object, waiting: int) -> None:
        seen.extend(volumes)  # type: ignore[call-overload]
        if waiting == 0:
            done.set()

    Identifier(desk, hear).look_again([WRONG])
    assert done.wait(120)
    assert seen[0] == WRONG, "the corrected volume comes first"
    after = {each["key"]: each for each in desk.describe_volume(WRONG)["neurons"]}
    assert after[other["key"]]["identity"] == two
    assert not after[other["key"]]["human"]
    assert after[other["key"]]["probability"] < 0.8, "a proposal stays in doubt"
    assert (after[mine["key"]]["identity"], after[stranger["key"]]["identity"]) == (one, 7000)
    numbers = [each["identity"] for each in after.values() if each["identity"] >= 0]
    assert len(numbers) == len(set(numbers))

    desk.log.undo("ana")
    desk.log.undo("ana")
    recognizer = Reidentifier.open(folder)
    assert recognizer is not None
    assert two not in {number for number, _ in recognizer.look_again(desk, WRONG).values()}
    desk.log.close()


def test_a_number_that_a_person_mistyped_is_questioned_until_the_volume_is_reviewed(taught: Taught) -> None:
    desk = Desk.open(taught.folder)
    recognizer = Reidentifier.open(taught.folder)
    assert recognizer is not None
    volume = WRONG + 1
    known = set(recognizer.last.numbers.tolist())
    sure = {
        each["identity"]: each for each in desk.describe_volume(volume)["neurons"] if each["identity"] in known - {-1}
    }
    right, mistyped = (sorted(sure)[row] for row in (0, -1))
    spot = Spot(volume=volume, key=sure[right]["key"], place_um=sure[right]["anchor_um"])
    identifier = Identifier(desk, lambda volumes, left: None)
    desk.log.append("ana", Assign(spots=(spot,), identity=right))
    identifier.question_all()
    assert list_questions(desk) == [], "what the machine sees too is no question"

    desk.log.append("ana", Assign(spots=(spot,), identity=mistyped))
    identifier.question_all()
    (asked,) = list_questions(desk)
    assert (asked["volume"], asked["identity"]) == (volume, mistyped)
    assert f"a person gave #{mistyped}, the machine sees #{right}" in asked["reason"]
    assert list_queue(desk)["neurons"][0] == asked
    (mine,) = [each for each in desk.describe_volume(volume)["neurons"] if each["key"] == spot.key]
    assert (mine["identity"], mine["human"]) == (mistyped, True), "a person's word stands"

    desk.log.append("ana", ReviewVolume(volume=volume))
    assert list_questions(desk) == []
    desk.log.undo("ana")
    desk.log.append("bo", ReviewIdentity(identity=mistyped))
    assert list_questions(desk) == []
    for author in ("bo", "ana", "ana"):
        desk.log.undo(author)
    identifier.question_all()
    assert desk.questions.find_volumes() == []
    desk.log.close()
