"""The desk: what it looks up again after an edit, and what it keeps."""

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from cender.annotate.edits import AddNeuron, Assign, FlagUnusable, ReviewVolume
from cender.annotate.marks import Spot
from cender.io.results.annotations import held
from cender.io.results.annotations.log import EditLog
from cender.web.desk import Desk
from cender.web.queue import list_queue


@pytest.fixture
def folder(web_run: Path, tmp_path: Path) -> Path:
    """A run folder of which people have said nothing yet."""
    worm = tmp_path / "worm"
    shutil.copytree(web_run, worm)
    (worm / "annotations.sqlite").unlink(missing_ok=True)
    return worm


def assign(desk: Desk, volume: int, identity: int) -> Assign:
    one = desk.describe_volume(volume)["neurons"][0]
    return Assign(spots=(Spot(volume=volume, key=one["key"], place_um=one["anchor_um"]),), identity=identity)


def ask_everything(desk: Desk) -> Any:
    return desk.describe_run(), desk.find_reference(2), desk.list_spots(777, 0, 8), list_queue(desk)


def test_only_volumes_that_were_touched_are_loaded_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with EditLog(folder) as other:
        desk = Desk.open(folder)
        for volume in range(5):
            other.append("bo", assign(desk, volume, 300 + volume))
    desk = Desk.open(folder)
    loaded: list[list[int] | None] = []

    def count(name: str) -> None:
        load = getattr(held, name)

        def load_and_note(base: Any, volumes: Collection[int] | None) -> Any:
            loaded.append(None if volumes is None else sorted(volumes))
            return load(base, volumes)

        part = desk.log._states if name == "load_states" else desk.log._digests
        monkeypatch.setattr(part, "load", load_and_note)

    count("load_states")
    count("load_digests")
    for _ in range(5):
        ask_everything(desk)
    assert loaded == [None, None], "all of it once, however often it is asked for"
    desk.log.append("ana", ReviewVolume(volume=4))
    with EditLog(folder) as other:
        other.append("bo", assign(desk, 3, 777))
    for _ in range(5):
        run, reference, spots, _ = ask_everything(desk)
    assert loaded[2:] == [[3, 4], [3, 4]]
    assert (run["reviewed"], reference) == ([4], 4)
    assert [one["volume"] for one in spots] == [3], "what another program wrote is known too"


def test_what_is_kept_is_what_a_fresh_look_finds(folder: Path) -> None:
    desk = Desk.open(folder)
    assert (desk.log.states(), desk.log.digests()) == ({}, {})
    edits = (
        assign(desk, 1, 777),
        AddNeuron(volume=0, key="h1", centre_um=(1.0, 2.0, 3.0)),
        FlagUnusable(volume=4),
        assign(desk, 6, -1),
    )
    for edit in edits:
        desk.log.append("ana", edit)
        assert 777 in [one["identity"] for one in desk.list_identities()]
    run = desk.describe_run()
    assert (run["annotated"], run["unusable"]) == ([0, 1, 6], [4])
    for _ in range(len(edits)):
        with EditLog(folder) as fresh:
            assert list(desk.log.states().items()) == list(fresh.states().items())
            assert list(desk.log.digests().items()) == list(fresh.digests().items())
        desk.log.undo("ana")
    assert (desk.log.states(), desk.log.digests()) == ({}, {})
    assert 777 not in [one["identity"] for one in desk.list_identities()]
