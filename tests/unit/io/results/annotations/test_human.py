"""Human work: kept, logged, read back, and refused where it makes no sense."""

import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cender.errors import DataError, EditError, UnsupportedFormat
from cender.io.results.annotations.base import FILE_NAME
from cender.io.results.annotations.human import hash_human, load_human, save_human
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.run_folder import create_run
from cender.types import Annotation, Regions, VoxelSize

VOXEL_UM = VoxelSize(1.5, 0.3, 0.3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return create_run(tmp_path / "worm", {"recording": {"voxel_um": list(VOXEL_UM)}}).path


def annotate(volume: int, identity: list[int], complete: bool = False) -> Annotation:
    count = len(identity)
    boxes = np.tile([4.0, 5.0, 3.0, 2.5], (count, 1))
    regions = Regions.from_boxes(np.arange(count), boxes, neuron=np.arange(count)[::-1].copy())
    centre = np.arange(3.0 * count).reshape(count, 3)
    return Annotation(volume, centre, np.array(identity, int), np.ones(count), regions, None, complete, False, VOXEL_UM)


def count_edits(folder: Path) -> int:
    with EditLog(folder) as log:
        return len(log.since())


def test_what_was_said_comes_back(folder: Path) -> None:
    assert load_human(folder) == {}
    assert not (folder / FILE_NAME).exists(), "looking makes no file"
    said = annotate(7, [3, -1, 0], complete=True)
    save_human(folder, said)
    save_human(folder, annotate(2, [5]))
    found = load_human(folder)
    assert list(found) == [2, 7]
    assert found[2].voxel_um == VOXEL_UM, "of the recording"
    np.testing.assert_array_equal(found[7].centre_um, said.centre_um)
    np.testing.assert_array_equal(found[7].identity, said.identity)
    assert (found[7].complete, found[2].complete) == (True, False)
    order = np.argsort(said.regions.neuron)
    np.testing.assert_array_equal(found[7].regions.box_px, said.regions.box_px[order])
    np.testing.assert_array_equal(found[7].regions.z, said.regions.z[order])


def test_every_change_is_logged_and_the_log_stays(tmp_path: Path) -> None:
    save_human(tmp_path, annotate(1, [3]), "Ada")
    save_human(tmp_path, annotate(1, [3]), "Ada")
    save_human(tmp_path, annotate(1, [4]), "Bo")
    save_human(tmp_path, annotate(1, []), "Bo")
    with EditLog(tmp_path) as log:
        entries = log.since(0)
    assert [one.author for one in entries] == ["Ada", "Bo", "Bo"], "what changes nothing is no edit"
    assert [one.words for one in entries][1:] == ["1 neuron laid down in volume 1", "0 neurons laid down in volume 1"]
    assert load_human(tmp_path) == {}
    with sqlite3.connect(tmp_path / FILE_NAME) as base, pytest.raises(sqlite3.IntegrityError, match="never removed"):
        base.execute("DELETE FROM edits")
    base.close()


def test_the_name_follows_the_state_and_not_the_log(tmp_path: Path) -> None:
    assert hash_human(tmp_path) is None
    save_human(tmp_path, annotate(1, [3]))
    first = hash_human(tmp_path)
    save_human(tmp_path, annotate(1, [4]))
    assert hash_human(tmp_path) != first
    save_human(tmp_path, annotate(1, [3]))
    assert hash_human(tmp_path) == first
    save_human(tmp_path, replace(annotate(1, [3]), complete=True))
    assert hash_human(tmp_path) != first


def test_a_contradiction_is_refused_and_the_old_state_stays(tmp_path: Path) -> None:
    save_human(tmp_path, annotate(1, [3, 4]))
    before = hash_human(tmp_path)
    with pytest.raises(EditError, match="each identity once"):
        save_human(tmp_path, annotate(1, [3, 3]))
    assert hash_human(tmp_path) == before
    assert count_edits(tmp_path) == 1


@pytest.mark.parametrize("content", [b"", b"not a database at all, only some words", b"SQLite format 3\0" + bytes(500)])
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(DataError, match="move it away"):
        load_human(tmp_path)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    save_human(tmp_path, annotate(1, [3]))
    with sqlite3.connect(tmp_path / FILE_NAME) as base:
        base.execute("UPDATE about SET format = 9")
    base.close()
    for act in (lambda: load_human(tmp_path), lambda: save_human(tmp_path, annotate(1, [4]))):
        with pytest.raises(UnsupportedFormat, match="update it"):
            act()


def test_several_writers_at_once_lose_nothing(folder: Path) -> None:
    threads = [threading.Thread(target=lambda v=volume: save_human(folder, annotate(v, [v]))) for volume in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(load_human(folder)) == list(range(12))
    assert count_edits(folder) == 12
