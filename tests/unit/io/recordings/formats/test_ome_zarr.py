"""OME-Zarr of both generations."""

from pathlib import Path

import numpy as np
import pytest
import zarr

from cender.errors import UnreadableRecording
from cender.io import RecordingParams, open_recording, save_recording


def write_ome(path: Path, movie: np.ndarray, version: int) -> None:
    group = zarr.open_group(str(path), mode="w", zarr_format=version)
    for level, data in enumerate((movie, movie[..., ::2, ::2])):
        array = group.create_array(str(level), shape=data.shape, dtype=data.dtype, chunks=(1, 1, 2, *data.shape[3:]))
        array[:] = data
    names = [("t", "time", "millisecond"), ("c", "channel", None), ("z", "space", "micrometer")]
    names += [("y", "space", "nanometer"), ("x", "space", "nanometer")]
    axes = [{"name": n, "type": k, **({"unit": u} if u else {})} for n, k, u in names]
    scales = [[200.0, 1.0, 1.5, 300.0 * 2**level, 300.0 * 2**level] for level in (0, 1)]
    datasets = [
        {"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        for level, scale in enumerate(scales)
    ]
    ome = {"multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}]}
    ome["omero"] = {"channels": [{"label": "tagRFP-T"}, {"label": "GCaMP6f"}]}
    group.attrs.update(ome if version == 2 else {"ome": {"version": "0.5", **ome}})


@pytest.mark.parametrize("version", [2, 3])
def test_ngff(tmp_path: Path, movie: np.ndarray, version: int) -> None:
    write_ome(tmp_path / "a.zarr", movie, version)
    recording = open_recording(tmp_path / "a.zarr")
    assert np.array_equal(np.stack([v.data for v in recording]), movie)
    assert recording.voxel_um == pytest.approx((1.5, 0.3, 0.3))
    assert recording.rate_hz == pytest.approx(5)
    assert recording.roles == ("red", "green")
    assert recording.missing == ()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_files_of_ngff_zarr(tmp_path: Path, movie: np.ndarray, version: str) -> None:
    """Written by another library, and ours read and validated by it."""
    ngff = pytest.importorskip("ngff_zarr", reason="ngff-zarr is not installed: pip install 'ngff-zarr[validate]'")
    scale = {"t": 0.2, "c": 1.0, "z": 1.5, "y": 0.3, "x": 0.3}
    units = {"t": "second", "z": "micrometer", "y": "micrometer", "x": "micrometer"}
    image = ngff.to_ngff_image(movie, dims=list("tczyx"), scale=scale, axes_units=units)
    ngff.to_ngff_zarr(str(tmp_path / "a.ome.zarr"), ngff.to_multiscales(image, scale_factors=[]), version=version)
    recording = open_recording(tmp_path / "a.ome.zarr")
    assert (recording.voxel_um, recording.rate_hz) == (pytest.approx((1.5, 0.3, 0.3)), pytest.approx(5))
    assert np.array_equal(np.stack([v.data for v in recording]), movie)
    save_recording(recording, tmp_path / "ours.ome.zarr")
    (ours,) = ngff.from_ngff_zarr(str(tmp_path / "ours.ome.zarr")).images
    assert ours.scale == pytest.approx(scale)
    assert np.array_equal(np.asarray(ours.data), movie)


def test_other_resolution(tmp_path: Path, movie: np.ndarray) -> None:
    write_ome(tmp_path / "a.zarr", movie, 3)
    recording = open_recording(tmp_path / "a.zarr", RecordingParams(dataset="1"))
    assert recording.shape[3:] == (6, 8)
    assert recording.voxel_um == pytest.approx((1.5, 0.6, 0.6))


def test_plain_array(tmp_path: Path, movie: np.ndarray) -> None:
    zarr.create_array(str(tmp_path / "a.zarr"), data=movie)
    recording = open_recording(tmp_path / "a.zarr")
    assert recording.missing[0].assumed == "TCZYX"
    assert np.array_equal(recording.read(0, (1,))[0], movie[0, 1])


@pytest.mark.parametrize("version", [2, 3])
def test_growing_array(tmp_path: Path, movie: np.ndarray, version: int) -> None:
    array = zarr.create_array(
        str(tmp_path / "a.zarr"), shape=movie.shape, dtype="u2", chunks=(1, *movie.shape[1:]), zarr_format=version
    )
    array[:4] = movie[:4]
    recording = open_recording(tmp_path / "a.zarr")
    assert len(recording) == 4
    assert any("not written yet" in warning for warning in recording.warnings)


def test_group_of_several_arrays(tmp_path: Path, movie: np.ndarray) -> None:
    group = zarr.open_group(str(tmp_path / "a.zarr"), mode="w")
    group.create_array("one", data=movie)
    group.create_array("two", data=movie)
    with pytest.raises(UnreadableRecording, match=r"recording\.dataset=NAME"):
        open_recording(tmp_path / "a.zarr")
    assert len(open_recording(tmp_path / "a.zarr", RecordingParams(dataset="two"))) == 6


def test_damaged_metadata(tmp_path: Path) -> None:
    (tmp_path / "zarr.json").write_text("{ not json")
    with pytest.raises(UnreadableRecording, match="cannot be opened"):
        open_recording(tmp_path)
