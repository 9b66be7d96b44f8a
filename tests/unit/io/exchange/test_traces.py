"""Traces as other programs read them, and the layers of napari."""

from pathlib import Path

import h5py
import numpy as np
import pandas
import pytest
from scipy.io import loadmat

from cases.exchanged import VOLUMES, list_places
from cender.errors import DataError, UnsupportedFormat
from cender.io.exchange.doors import export_file, import_file
from cender.io.exchange.napari_reader import find_reader
from cender.io.results.annotations.log import EditLog


@pytest.mark.parametrize("name", ["traces.csv", "traces.parquet"])
def test_pandas_reads_one_row_per_identity_and_volume(worm: Path, tmp_path: Path, name: str) -> None:
    moved = export_file(worm, tmp_path / name)
    unknown = sum(identity < 0 for places in list_places(worm).values() for *_, identity in places)
    assert unknown, "a neuron without an identity has no trace"
    assert set(moved.lost) == {"centres", "boxes", "heads", f"{unknown} neurons without an identity"}
    assert moved.neurons == 3 * VOLUMES - unknown
    read = pandas.read_csv if name.endswith("csv") else pandas.read_parquet
    table = read(tmp_path / name)
    assert len(table) == 3 * VOLUMES
    wide = table[table.valid].pivot(index="time_s", columns="identity", values="ratio")
    assert wide[5].tolist() == pytest.approx([6.0, 6.1, 6.2, 6.3])
    assert wide[7].isna().sum() == 2
    assert set(table[table.identity == 5].name) == {"AVAL"}


def test_arrays_of_hdf5_and_matlab_are_volumes_by_identities(worm: Path, tmp_path: Path) -> None:
    export_file(worm, tmp_path / "traces.h5")
    export_file(worm, tmp_path / "traces.mat")
    with h5py.File(tmp_path / "traces.h5") as file:
        found = {name: file[name][()] for name in file}
        assert [dimension.label for dimension in file["ratio"].dims] == ["volume", "identity"]
    assert found["ratio"].shape == (VOLUMES, 3)
    assert found["ratio"][:, 0] == pytest.approx([6.0, 6.1, 6.2, 6.3])
    assert (found["identity"].tolist(), found["name"].tolist()) == ([5, 6, 7], [b"AVAL", b"", b""])
    struct = loadmat(tmp_path / "traces.mat", simplify_cells=True)["traces"]
    assert np.array_equal(struct["ratio"], found["ratio"], equal_nan=True)
    assert np.array_equal(struct["valid"].astype(bool), found["valid"])
    assert struct["time_s"].tolist() == pytest.approx(found["time_s"].tolist())
    assert struct["name"][0] == "AVAL"


def test_people_alone_have_no_traces(worm: Path, other: Path, tmp_path: Path) -> None:
    export_file(worm, tmp_path / "points.csv")
    with pytest.raises(DataError, match=r"nothing to export|no traces"):
        export_file(worm, tmp_path / "traces.csv", human_only=True)
    with pytest.raises(UnsupportedFormat, match="can be written but not read"):
        import_file(other, tmp_path / "traces.csv", "ben")
    with pytest.raises(UnsupportedFormat, match="formats that do: nwb"):
        export_file(worm, tmp_path / "traces.csv", images=True)


def test_a_points_layer_comes_back(worm: Path, other: Path, tmp_path: Path) -> None:
    export_file(worm, tmp_path / "napari.csv")
    table = pandas.read_csv(tmp_path / "napari.csv")
    assert table.columns[:5].tolist() == ["index", "axis-0", "axis-1", "axis-2", "axis-3"]
    assert table.loc[1, ["axis-0", "axis-1", "axis-2", "axis-3"]].tolist() == [0, 1, 10, 5]
    (tmp_path / "napari.csv").rename(tmp_path / "Points.csv")
    moved = import_file(other, tmp_path / "Points.csv", "ben")
    assert (moved.format, moved.identities) == ("napari", 3)
    with EditLog(other) as log:
        marks = log.state(1).marks.values()
        assert log.identities()[5].name == "AVAL"
    assert sorted((*np.round(mark.centre_um, 6).tolist(), mark.identity) for mark in marks) == list_places(worm)[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("index,axis-0,axis-1\n0,1,2\n", "four axes"),
        ("index,axis-0,axis-1,axis-2,axis-3\n0,0.5,1,2,3\n", "whole ones as axis-0"),
        ("index,axis-0,axis-1,axis-2,axis-3\n0,0,1,2,x\n", "expected numbers"),
        ("index,axis-0,axis-1,axis-2,axis-3\n", "says nothing"),
    ],
)
def test_other_layers_are_refused(other: Path, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "Points.csv").write_text(text)
    with pytest.raises(DataError, match=words):
        import_file(other, tmp_path / "Points.csv", "ben")


def test_layers_are_given_without_the_recording_too(worm: Path, tmp_path: Path) -> None:
    read = find_reader([str(worm)])
    assert read is not None
    assert [layer[2] for layer in read(str(worm))] == ["image", "image", "points", "tracks"]
    (tmp_path / "worm.h5").unlink()
    assert [layer[2] for layer in read(str(worm))] == ["points", "tracks"]
