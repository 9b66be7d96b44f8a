"""The log: undo and redo per person, conflicts between people, tokens, and what it does on disks of all kinds."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from cender.annotate.edits import AddNeuron, Assign, Batch, NameIdentity, ReviewVolume, SetVolume, Swap
from cender.annotate.marks import Mark, Spot
from cender.errors import DataError, EditError
from cender.io.results.annotations import base as base_module
from cender.io.results.annotations.base import FILE_NAME
from cender.io.results.annotations.drive import is_network_drive
from cender.io.results.annotations.log import Conflict, EditLog


def spot(row: int, volume: int = 4) -> Spot:
    return Spot(volume=volume, key=f"m{row}", place_um=(1.0, 2.0, 3.0 * row))


def name(row: int, identity: int | None, volume: int = 4) -> Assign:
    return Assign(spots=(spot(row, volume),), identity=identity)


@pytest.fixture
def log(tmp_path: Path):
    with EditLog(tmp_path) as one:
        yield one


def identities(log: EditLog, volume: int = 4) -> dict[str, int | None]:
    return {key: mark.identity for key, mark in log.state(volume).marks.items()}


def test_looking_makes_no_file(log: EditLog) -> None:
    assert (log.revision, log.since(), log.history("ana"), log.states()) == (0, [], ([], []), {})
    assert log.state(4).marks == {}
    assert log.undo("ana") is None
    assert not log.path.exists()


def test_each_person_undoes_what_they_did(log: EditLog) -> None:
    log.append("ana", name(1, 17))
    log.append("ben", name(2, 23))
    log.append("ana", name(3, 5))
    assert log.undo("ana") == 4
    assert identities(log) == {"m1": 17, "m2": 23}
    assert log.undo("ana") == 5
    assert identities(log) == {"m2": 23}
    assert log.undo("ana") is None
    assert log.redo("ana") == 6
    assert log.redo("ana") == 7
    assert log.redo("ana") is None
    assert identities(log) == {"m1": 17, "m2": 23, "m3": 5}
    assert log.history("ana") == ([3, 1], [])
    assert log.since(3)[0].words == "undo of: a neuron is #5 in volume 4"


def test_a_new_edit_ends_redo(log: EditLog) -> None:
    log.append("ana", name(1, 17))
    log.undo("ana")
    assert log.history("ana") == ([], [1])
    log.append("ana", name(1, 18))
    assert log.redo("ana") is None


def test_undo_survives_closing(tmp_path: Path) -> None:
    for row in range(25):
        with EditLog(tmp_path) as log:
            log.append("ana", name(row, row))
    for _ in range(20):
        with EditLog(tmp_path) as log:
            log.undo("ana")
    with EditLog(tmp_path) as log:
        assert len(identities(log)) == 5
        while log.redo("ana"):
            pass
        assert len(identities(log)) == 25


def test_what_two_people_do_to_one_neuron_is_a_conflict_and_nothing_is_lost(log: EditLog) -> None:
    seen = log.append("ana", name(1, 17))
    log.append("ben", name(1, 18), seen)
    refused = log.append("ana", name(1, 19), seen)
    assert isinstance(refused, Conflict)
    assert (refused.author, refused.words, refused.slot) == ("ben", "a neuron is #18 in volume 4", "neuron:4:m1")
    assert identities(log) == {"m1": 18}
    assert log.append("ana", name(2, 20), seen) == 3, "another neuron is no conflict"
    assert log.append("ana", name(1, 19), 3) == 4, "and who has seen it may change it"


def test_one_number_for_two_neurons_is_a_conflict_between_people(log: EditLog) -> None:
    seen = log.append("ana", name(1, 17))
    log.append("ben", name(2, 30), seen)
    refused = log.append("ana", name(3, 30), seen)
    assert isinstance(refused, Conflict)
    assert refused.author == "ben"


def test_a_person_s_own_edits_on_the_way_are_no_conflict(log: EditLog) -> None:
    seen = log.append("ana", name(1, 17))
    log.append("ana", name(1, 18), seen)
    assert log.append("ana", name(1, 19), seen) == 3


def test_undo_of_what_another_changed_since_is_a_conflict(log: EditLog) -> None:
    log.append("ana", name(1, 17))
    log.append("ben", name(1, 18))
    refused = log.undo("ana")
    assert isinstance(refused, Conflict)
    assert refused.author == "ben"
    log.undo("ben")
    assert log.undo("ana") == 4, "after ben took it back there is nothing in the way"


def test_undo_never_gives_a_number_twice(log: EditLog) -> None:
    log.append("ana", name(1, 17))
    log.append("ana", name(1, None))
    log.append("ben", name(2, 17))
    assert isinstance(log.undo("ana"), Conflict)
    assert identities(log) == {"m2": 17}


def test_an_edit_sent_twice_is_made_once(log: EditLog) -> None:
    add = AddNeuron(volume=4, key="h1", centre_um=(1, 2, 3))
    assert log.append("ana", add, ticket="a1") == log.append("ana", add, ticket="a1") == 1
    assert log.undo("ana", ticket="u1") == log.undo("ana", ticket="u1") == 2
    assert len(log.since()) == 2


def test_a_refused_edit_leaves_nothing(log: EditLog) -> None:
    log.append("ana", name(1, 17))
    bad = Batch(words="two things", edits=(name(2, 18), AddNeuron(volume=4, key="m7", centre_um=(0, 0, 0))))
    with pytest.raises(EditError, match="begins with h"):
        log.append("ana", bad)
    assert identities(log) == {"m1": 17}
    assert log.revision == 1


def test_a_number_that_was_never_given_in_the_end_is_not_given(log: EditLog) -> None:
    """What an edit passes through on its way is in nobody's way, before and after the state is rebuilt."""
    spot = Spot(volume=4, key="m0", place_um=(1, 2, 3))
    log.append("ana", Batch(words="", edits=tuple(Assign(spots=(spot,), identity=number) for number in (7, 8))))
    assert log.given() == {8}
    log.rebuild()
    assert log.given() == {8}
    assert not isinstance(
        log.append("ben", Assign(spots=(spot.model_copy(update={"key": "m1"}),), identity=7), 0), Conflict
    )


def test_the_state_follows_from_the_log_alone(tmp_path: Path, log: EditLog) -> None:
    log.append("ana", SetVolume(volume=4, marks=(Mark(key="h0", centre_um=(1, 2, 3), identity=7),), complete=True))
    log.append("ana", Swap(first=7, second=8, first_spots=(Spot(volume=4, key="h0"),)))
    log.append("ben", ReviewVolume(volume=4))
    log.append("ben", NameIdentity(identity=8, name="AVAL"))
    log.undo("ana")
    before = (log.states(), log.identities(), log.given())
    log.close()
    base = sqlite3.connect(tmp_path / FILE_NAME)
    base.execute("DELETE FROM slots")
    base.commit()
    base.close()
    assert log.states() == {}
    log.rebuild()
    assert (log.states(), log.identities(), log.given()) == before


def test_threads_share_one_log(log: EditLog) -> None:
    def work(who: str) -> None:
        for number in range(20):
            log.append(who, name(number, number, volume=int(who)))

    threads = [threading.Thread(target=work, args=(str(who),)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.revision for one in log.since()] == list(range(1, 81))
    assert all(len(identities(log, volume)) == 20 for volume in range(4))


@pytest.mark.parametrize(("remote", "mode"), [(False, "wal"), (True, "delete")])
def test_the_journal_suits_the_drive(tmp_path: Path, monkeypatch, remote: bool, mode: str) -> None:
    monkeypatch.setattr(base_module, "is_network_drive", lambda path: remote)
    base = base_module.open_to_write(tmp_path / FILE_NAME)
    assert base.execute("PRAGMA journal_mode").fetchone() == (mode,)
    assert base.execute("PRAGMA synchronous").fetchone() == (2,), "FULL"
    base.close()


def test_a_file_in_use_and_a_file_that_is_none_are_told_apart(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(base_module, "_WAIT_S", 0.05)
    path = tmp_path / FILE_NAME
    base_module.open_to_write(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DataError, match="in use by another program"):
            base_module.open_to_write(path)
    with pytest.raises(DataError, match="cannot be used as annotations"):
        base_module.open_to_write(tmp_path / "nowhere" / FILE_NAME)


def test_network_drives_are_known_by_the_innermost_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        f"30 21 0:40 / {tmp_path} rw shared:1 - nfs4 server:/lab rw\n"
        f"31 30 8:2 / {tmp_path}/local rw - ext4 /dev/sdb1 rw\n"
    )
    monkeypatch.setattr("cender.io.results.annotations.drive.MOUNTS", mounts)
    assert is_network_drive(tmp_path / "worm")
    assert not is_network_drive(tmp_path / "local" / "worm")
    assert not is_network_drive(Path("/home"))
    mounts.unlink()
    assert not is_network_drive(tmp_path / "worm"), "nothing is known"
