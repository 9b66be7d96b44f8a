"""Files of the first format are brought up to date with all that they hold."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from cender.io.results.annotations.base import FILE_NAME
from cender.io.results.annotations.human import load_human
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.run_folder import create_run

# What the first version of the store wrote: volume 3 by ana, then swapped and completed by ben; volume 7 said and taken
# back; volume 9 by somebody without a name.
FIRST = """
BEGIN TRANSACTION;
CREATE TABLE about (format INTEGER NOT NULL);
INSERT INTO "about" VALUES(1);
CREATE TABLE edits (
        edit INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, author TEXT NOT NULL, volume INTEGER NOT NULL,
        before TEXT, after TEXT);
INSERT INTO "edits" VALUES(1,'2026-03-01T10:00:00+00:00','ana',3,'null','{"neurons": [{"neuron": 0,
"identity": 17, "z_um": 1.0, "y_um": 2.0, "x_um": 3.0}, {"neuron": 1, "identity": 23, "z_um": 4.0, "y_um": 5.0,
"x_um": 6.0}], "regions": [{"neuron": 1, "z": 2, "x": 10.0, "y": 11.0, "w": 5.0, "h": 6.0}, {"neuron": 1,
"z": 3, "x": 10.5, "y": 11.0, "w": 5.0, "h": 6.0}], "complete": false}');
INSERT INTO "edits" VALUES(2,'2026-03-01T10:00:00+00:00','ben',3,'{"neurons": [{"neuron": 0, "identity": 17,
"z_um": 1.0, "y_um": 2.0, "x_um": 3.0}, {"neuron": 1, "identity": 23, "z_um": 4.0, "y_um": 5.0, "x_um": 6.0}],
"regions": [{"neuron": 1, "z": 2, "x": 10.0, "y": 11.0, "w": 5.0, "h": 6.0}, {"neuron": 1, "z": 3, "x": 10.5,
"y": 11.0, "w": 5.0, "h": 6.0}], "complete": false}','{"neurons": [{"neuron": 0, "identity": 23, "z_um": 1.0,
"y_um": 2.0, "x_um": 3.0}, {"neuron": 1, "identity": 17, "z_um": 4.0, "y_um": 5.0, "x_um": 6.0}],
"regions": [{"neuron": 1, "z": 2, "x": 10.0, "y": 11.0, "w": 5.0, "h": 6.0}, {"neuron": 1, "z": 3, "x": 10.5,
"y": 11.0, "w": 5.0, "h": 6.0}], "complete": true}');
INSERT INTO "edits" VALUES(3,'2026-03-01T10:00:00+00:00','ana',7,'null','{"neurons": [{"neuron": 0,
"identity": 40, "z_um": 1.0, "y_um": 1.0, "x_um": 1.0}], "regions": [], "complete": false}');
INSERT INTO "edits" VALUES(4,'2026-03-01T10:00:00+00:00','ana',7,'{"neurons": [{"neuron": 0, "identity": 40,
"z_um": 1.0, "y_um": 1.0, "x_um": 1.0}], "regions": [], "complete": false}','null');
INSERT INTO "edits" VALUES(5,'2026-03-01T10:00:00+00:00','',9,'null','{"neurons": [{"neuron": 0,
"identity": -1, "z_um": 9.0, "y_um": 9.0, "x_um": 9.0}, {"neuron": 1, "identity": 5, "z_um": 1.0, "y_um": 1.0,
"x_um": 1.0}], "regions": [], "complete": false}');
CREATE TABLE neurons (
        volume INTEGER NOT NULL REFERENCES volumes, neuron INTEGER NOT NULL CHECK (neuron >= 0),
        identity INTEGER NOT NULL CHECK (identity >= -1), z_um REAL NOT NULL, y_um REAL NOT NULL, x_um REAL NOT NULL,
        PRIMARY KEY (volume, neuron));
INSERT INTO "neurons" VALUES(3,0,23,1.0,2.0,3.0);
INSERT INTO "neurons" VALUES(3,1,17,4.0,5.0,6.0);
INSERT INTO "neurons" VALUES(9,0,-1,9.0,9.0,9.0);
INSERT INTO "neurons" VALUES(9,1,5,1.0,1.0,1.0);
CREATE TABLE regions (
        volume INTEGER NOT NULL, neuron INTEGER NOT NULL, z INTEGER NOT NULL CHECK (z >= 0), x REAL NOT NULL,
        y REAL NOT NULL, w REAL NOT NULL CHECK (w > 0), h REAL NOT NULL CHECK (h > 0),
        FOREIGN KEY (volume, neuron) REFERENCES neurons);
INSERT INTO "regions" VALUES(3,1,2,10.0,11.0,5.0,6.0);
INSERT INTO "regions" VALUES(3,1,3,10.5,11.0,5.0,6.0);
CREATE TABLE volumes (
        volume INTEGER PRIMARY KEY CHECK (volume >= 0), complete INTEGER NOT NULL CHECK (complete IN (0, 1)));
INSERT INTO "volumes" VALUES(3,1);
INSERT INTO "volumes" VALUES(9,0);
CREATE UNIQUE INDEX once ON neurons (volume, identity) WHERE identity >= 0;
CREATE TRIGGER edits_stay BEFORE UPDATE ON edits BEGIN SELECT RAISE(ABORT, 'edits are never changed'); END;
CREATE TRIGGER edits_last BEFORE DELETE ON edits BEGIN SELECT RAISE(ABORT, 'edits are never removed'); END;
COMMIT;
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = create_run(tmp_path / "worm", {"recording": {"voxel_um": [1.5, 0.3, 0.3]}})
    base = sqlite3.connect(run.path / FILE_NAME)
    base.executescript(FIRST)
    base.close()
    return run.path


def test_an_old_file_is_read_without_being_changed(folder: Path) -> None:
    content = (folder / FILE_NAME).read_bytes()
    found = load_human(folder)
    assert list(found) == [3, 9]
    assert found[3].identity.tolist() == [23, 17]
    assert found[3].complete
    np.testing.assert_array_equal(found[3].centre_um, [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(found[3].regions.box_px, [[10, 11, 5, 6], [10.5, 11, 5, 6]])
    assert found[3].regions.neuron.tolist() == [1, 1]
    assert found[9].identity.tolist() == [-1, 5]
    assert (folder / FILE_NAME).read_bytes() == content


def test_writing_brings_it_up_to_date_once_with_authors_and_times(folder: Path) -> None:
    before = load_human(folder)
    for _ in range(2):
        with EditLog(folder) as log:
            log.rebuild()
            entries = log.since()
            assert [one.author for one in entries] == ["ana", "ben", "ana", "ana", ""]
            assert {one.time for one in entries} == {"2026-03-01T10:00:00+00:00"}
            assert log.given() == {17, 23, 40, 5}, "a number that was taken back stays given"
    after = load_human(folder)
    assert [one.identity.tolist() for one in after.values()] == [one.identity.tolist() for one in before.values()]
    base = sqlite3.connect(folder / FILE_NAME)
    assert base.execute("SELECT count(*) FROM edits_1").fetchone() == (5,), "the old log is kept"
    base.close()


def test_old_edits_can_be_undone(folder: Path) -> None:
    with EditLog(folder) as log:
        log.undo("ben")
        assert [mark.identity for mark in log.state(3).marks.values()] == [17, 23]
