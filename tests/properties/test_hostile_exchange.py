"""Files that were made to do harm: every one is refused in words, and nothing of it is imported."""

import io
import json
import pickle
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
import zarr

from cases.damage import patience
from cender.errors import CenderError
from cender.io import create_run, open_recording
from cender.io.exchange.doors import import_file

FACTS = {"voxel_um": [1.5, 0.5, 0.5], "rate_hz": 5.0, "shape": [4, 2, 3, 24, 20]}


class Harm:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple:
        return (Path.touch, (Path("harm-was-done"),))


@pytest.fixture
def worm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return create_run(tmp_path / "worm", {"recording": FACTS}).path


def write_bomb(path: Path) -> Path:
    """XML whose text would have a billion letters."""
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9))
    path.write_text(f'<!DOCTYPE x [<!ENTITY a0 "aaaaaaaaaa">{entities}]><TrackMate><Model>&a8;</Model></TrackMate>')
    return path


def write_outside(path: Path) -> Path:
    path.write_text('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><TrackMate><Model name="&e;"/></TrackMate>')
    return path


def write_deep(path: Path) -> Path:
    path.write_text("<TrackMate>" + "<a>" * 200_000)
    return path


def write_deep_json(path: Path) -> Path:
    path.write_text('{"a":' * 100_000)
    return path


def write_pickled(path: Path) -> Path:
    np.save(path, np.array([Harm()], object), allow_pickle=True)
    return path


def write_huge_npy(path: Path) -> Path:
    """A header that promises 10^15 numbers."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6, 1000)})
    path.write_bytes(head.getvalue() + bytes(64))
    return path


def write_huge_column(path: Path) -> Path:
    """ZephIR's columns with 10^12 rows of which none is on disk."""
    with h5py.File(path, "w") as file:
        for name in ("t_idx", "x", "y", "z", "worldline_id"):
            file.create_dataset(name, (10**12,), "f4", chunks=(1024,))
    return path


def write_linked(path: Path) -> Path:
    """A column that is another file's."""
    with h5py.File(path.with_name("other.h5"), "w") as file:
        file["x"] = np.full(2, 0.5)
    with h5py.File(path, "w") as file:
        for name in ("t_idx", "y", "z", "worldline_id"):
            file[name] = np.array([0, 1])
        file["x"] = h5py.ExternalLink("other.h5", "/x")
    return path


def write_huge_graph(path: Path) -> Path:
    """A graph whose places have 10^12 rows of which none is on disk."""
    root = zarr.open_group(str(path), mode="w")
    root.create_array("nodes/ids", shape=(2,), dtype="u8")
    root.create_array("edges/ids", shape=(0, 2), dtype="u8")
    for name in "tzyx":
        root.create_array(f"nodes/props/{name}/values", shape=(10**12,), dtype="f8", chunks=(1024,))
    axes = [{"name": "t", "type": "time"}, *({"name": axis, "type": "space"} for axis in "zyx")]
    kinds = {name: {"identifier": name, "dtype": "float64"} for name in "tzyx"}
    root.attrs["geff"] = {
        "geff_version": "1.1", "directed": True, "axes": axes, "node_props_metadata": kinds, "edge_props_metadata": {}
    }  # fmt: skip
    return path


FILES = {
    "bomb.xml": (write_bomb, "trackmate"),
    "outside.xml": (write_outside, "trackmate"),
    "deep.xml": (write_deep, "trackmate"),
    "001.json": (write_deep_json, "authors-results"),
    "benchmark.json": (write_deep_json, "authors-benchmark"),
    "pickled.npy": (write_pickled, "authors-rois"),
    "huge.npy": (write_huge_npy, "authors-rois"),
    "annotations.h5": (write_huge_column, "zephir"),
    "linked-annotations.h5": (write_linked, "zephir"),
    "huge.geff": (write_huge_graph, "geff"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FILES)
def test_hostile_files_are_refused(worm: Path, tmp_path: Path, name: str) -> None:
    write, format = FILES[name]
    path = write(tmp_path / name)
    with patience(), pytest.raises(CenderError):
        import_file(worm, path, "ana", format)
    assert not (worm / "annotations.sqlite").exists()
    assert not (tmp_path / "harm-was-done").exists()


def test_a_folder_of_pickles_is_refused(worm: Path, tmp_path: Path) -> None:
    (tmp_path / "fdnc").mkdir()
    write_pickled(tmp_path / "fdnc" / "real_0.npy")
    with pytest.raises(CenderError, match="real_0"):
        import_file(worm, tmp_path / "fdnc", "ana", "fdnc")
    assert not (tmp_path / "harm-was-done").exists()


def write_slip(path: Path) -> Path:
    """An archive that would unpack over its neighbours, and whose array is a pickle."""
    content = io.BytesIO()
    np.save(content, np.array([Harm()], object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../slipped.npy", content.getvalue())
    return path


def write_zip_bomb(path: Path) -> Path:
    """An archive of a few kilobytes that promises a terabyte of pixels."""
    head = io.BytesIO()
    shape = (4, 2, 100, 40_000, 40_000)
    np.lib.format.write_array_header_1_0(head, {"descr": "<u2", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.npy", head.getvalue() + bytes(2**20))
    return path


def write_evil_zarr(path: Path) -> Path:
    """An array whose chunks are pickles."""
    path.mkdir()
    shape = [2, 2, 3, 8, 8]
    facts = {"zarr_format": 2, "shape": shape, "chunks": shape, "fill_value": 0, "order": "C"}
    facts |= {"dtype": "<u2", "compressor": {"id": "pickle", "protocol": 5}, "filters": None}
    (path / ".zarray").write_text(json.dumps(facts))
    (path / "0.0.0.0.0").write_bytes(pickle.dumps(Harm()))
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "write"), [("slip.npz", write_slip), ("bomb.npz", write_zip_bomb), ("evil.zarr", write_evil_zarr)]
)
def test_hostile_recordings_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, write) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    path = write(tmp_path / "inside" / name)
    with patience(), pytest.raises(CenderError):
        open_recording(path).volume(0)
    assert sorted(one.name for one in tmp_path.rglob("*") if one.is_file() and path not in [one, *one.parents]) == []
