"""ZephIR's tables in the layout that its own program writes."""

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import numpy as np
import pytest

from cases.exchanged import SHAPE, VOLUMES, list_places
from cases.recorded import VOXEL
from cender.errors import DataError
from cender.io import create_run
from cender.io.exchange.doors import export_file, import_file
from cender.io.exchange.format import Surroundings
from cender.io.exchange.zephir import load_zephir
from cender.io.results.annotations.log import EditLog

REAL = Path(os.environ.get("CENDER_DATA", "")) / "zephir_annotations.h5"


def write_zephir(folder: Path, **changes: np.ndarray) -> Path:
    """Two neurons in three volumes; a worldline has a name."""
    folder.mkdir(exist_ok=True)
    columns: dict[str, np.ndarray] = {
        "id": np.arange(1, 7, dtype=np.uint32),
        "t_idx": np.array([0, 0, 1, 1, 2, 2], np.uint32),
        "x": np.array([0.525] * 6, np.float32),
        "y": np.array([0.1, 0.5] * 3, np.float32),
        "z": np.array([0.5] * 6, np.float32),
        "worldline_id": np.array([0, 3] * 3, np.uint32),
        "parent_id": np.zeros(6, np.uint32),
        "provenance": np.array([b"ANTT"] * 4 + [b"ZEIR"] * 2, "S4"),
    }
    with h5py.File(folder / "annotations.h5", "w") as file:
        for name, column in (columns | changes).items():
            file[name] = column
    with h5py.File(folder / "worldlines.h5", "w") as file:
        file["id"] = np.arange(5, dtype=np.uint32)
        file["name"] = np.array([b"null", b"1", b"null", b"RIBL", b"AVAR"], "S8")
        file["color"] = np.full(5, b"#ffffff", "S7")
    return folder / "annotations.h5"


@pytest.mark.parametrize("name", ["annotations.h5", ""])
def test_worldlines_become_identities(other: Path, tmp_path: Path, name: str) -> None:
    write_zephir(tmp_path / "zephir")
    moved = import_file(other, tmp_path / "zephir" / name, "ana")
    assert (moved.format, moved.volumes, moved.neurons, moved.identities) == ("zephir", 3, 6, 2)
    assert "ZEIR 2" in moved.lost[0]
    with EditLog(other) as log:
        marks = list(log.state(1).marks.values())
        assert [mark.identity for mark in marks] == [0, 3]
        assert {number: one.name for number, one in log.identities().items()} == {3: "RIBL"}
    # A share of 0.5 of three frames is the middle of the second: (0.5 * 3 - 0.5) * 1.5 µm.
    assert marks[1].centre_um == pytest.approx((1.5, (0.5 * SHAPE[1] - 0.5) * 0.5, (0.525 * SHAPE[2] - 0.5) * 0.5))


def test_what_goes_out_has_zephirs_types_and_comes_back(worm: Path, other: Path, tmp_path: Path) -> None:
    moved = export_file(worm, tmp_path / "annotations.h5")
    assert set(moved.lost) == {
        *("boxes", "probabilities", "heads", "times", "ratios", "intensities"),
        "2 neurons without an identity",
    }
    with h5py.File(tmp_path / "annotations.h5") as file:
        kinds = {name: file[name].dtype.str[1:] for name in file}
        assert (file["x"][0] * SHAPE[2] - 0.5, file["y"][0] * SHAPE[1] - 0.5) == pytest.approx((5, 2), abs=1e-4)
    assert kinds == {**dict.fromkeys(("id", "t_idx", "worldline_id", "parent_id"), "u4"),
                     **dict.fromkeys("xyz", "f4"), "provenance": "S4"}  # fmt: skip
    import_file(other, tmp_path / "annotations.h5", "ben")
    with EditLog(other) as log:
        states = log.states()
        assert log.identities()[5].name == "AVAL"
    for volume in range(VOLUMES):
        expected = [place for place in list_places(worm)[volume] if place[3] >= 0]
        back = [(*mark.centre_um, mark.identity) for mark in states[volume].marks.values()]
        assert np.array(back) == pytest.approx(np.array(expected), abs=1e-4)


def test_tables_of_matlab_have_two_dimensions(other: Path, tmp_path: Path) -> None:
    flat = {"x": np.full((1, 6), 0.5), "t_idx": np.array([[0], [0], [1], [1], [2], [2]])}
    assert import_file(other, write_zephir(tmp_path / "zephir", **flat), "ana").neurons == 6


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"x": np.full(6, 30.0)}, "between 0 and 1"),
        ({"x": np.full(5, 0.5)}, "one length"),
        ({"worldline_id": np.zeros(6, int)}, "twice"),
        ({"t_idx": np.full(6, 1000)}, "twice|recording has"),
        ({"x": np.array([b"0.5"] * 6)}, "columns of numbers"),
    ],
)
def test_tables_that_contradict_themselves(other: Path, tmp_path: Path, changes: dict, words: str) -> None:
    with pytest.raises(DataError, match=words):
        import_file(other, write_zephir(tmp_path / "zephir", **changes), "ana")
    with EditLog(other) as log:
        assert log.revision == 0


def test_the_size_of_the_recording_is_needed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cender run RECORDING"):
        load_zephir(write_zephir(tmp_path / "zephir"), Surroundings())


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_file(), reason="CENDER_DATA names no folder with zephir_annotations.h5")
def test_a_real_file_goes_in_and_out_unchanged(tmp_path: Path) -> None:
    facts = {"voxel_um": list(VOXEL), "rate_hz": 5.0, "shape": [200, 2, 20, 700, 700]}
    folder = create_run(tmp_path / "worm", {"recording": facts}).path
    moved = import_file(folder, REAL, "ana", "zephir")
    assert (moved.volumes, moved.neurons, moved.identities) == (200, 1000, 5)
    assert "ZEIR" in moved.lost[0]
    export_file(folder, tmp_path / "annotations.h5")
    tables = []
    for path in (REAL, tmp_path / "annotations.h5"):
        with h5py.File(path) as file:
            table = np.stack([file[name][()] for name in ("t_idx", "worldline_id", "z", "y", "x")], axis=1)
        tables.append(table[np.lexsort(table[:, 1::-1].T)])
    assert np.array_equal(*tables)


@pytest.fixture
def zephir_io(monkeypatch: pytest.MonkeyPatch) -> Any:
    """ZephIR's own module of tables, from its source package: the wheel on PyPI holds no code."""
    source = Path(os.environ.get("CENDER_ZEPHIR", "")) / "zephir"
    if not (source / "annotator/data/annotations_io.py").is_file():
        pytest.skip("CENDER_ZEPHIR names no unpacked source package of ZephIR (pip download --no-binary :all: zephir)")
    for name in ("zephir", "zephir.annotator", "zephir.annotator.data", "zephir.utils"):
        # Its packages import a web server and a network, which tables do not need.
        package = ModuleType(name)
        package.__path__ = [str(source.parent / name.replace(".", "/"))]
        monkeypatch.setitem(sys.modules, name, package)
    return importlib.import_module("zephir.annotator.data.annotations_io")


@pytest.mark.filterwarnings("ignore")
def test_zephir_opens_ours_and_we_open_what_zephir_saves(
    worm: Path, other: Path, tmp_path: Path, zephir_io: Any
) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    export_file(worm, tmp_path / "ours/annotations.h5")
    annotations, worldlines = zephir_io.load_annotations(tmp_path / "ours")
    assert len(annotations.df) == sum(place[3] >= 0 for places in list_places(worm).values() for place in places)
    assert worldlines.df["name"].tolist()[5] == b"AVAL"
    zephir_io.save_annotations(annotations, worldlines, tmp_path / "theirs")
    import_file(other, tmp_path / "theirs", "ben")
    with EditLog(other) as log:
        assert sorted(mark.identity for mark in log.state(1).marks.values()) == [5, 6, 7]
        assert log.identities()[5].name == "AVAL"
