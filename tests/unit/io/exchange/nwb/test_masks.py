"""NWB as other labs have it: masks written by pynwb and the extension in the layouts of their files."""

import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import ndx_multichannel_volume as worm_nwb
import numpy as np
import pynwb
import pytest

from cases.exchanged import SHAPE, VOLUMES
from cender.errors import DataError
from cender.io.exchange.doors import import_file
from cender.io.results.annotations.log import EditLog

NAMES = ["RIS", "", "AVAL"]
# Centres of three neurons, z y x in pixels.
PLACES = np.array([[1, 5, 4], [1, 12, 9], [2, 20, 15]])


def begin() -> tuple[Any, Any, Any]:
    """A file with an imaging volume and the module of the WormID labs."""
    file = pynwb.NWBFile("theirs", "id", datetime(2024, 1, 1, tzinfo=UTC))
    device = file.create_device(name="Microscope")
    channel = worm_nwb.OpticalChannelPlus(
        name="GFP-TagRFP", description="x", emission_lambda=600.0, emission_range=[580.0, 620.0],
        excitation_lambda=561.0, excitation_range=[560.0, 562.0],
    )  # fmt: skip
    volume = worm_nwb.ImagingVolume(
        name="CalciumImVol", description="x", optical_channel_plus=[channel], device=device, location="head",
        order_optical_channels=worm_nwb.OpticalChannelReferences(name="order_optical_channels", channels=["GFP"]),
        grid_spacing=[0.5, 0.5, 1.5], grid_spacing_unit="micrometers", reference_frame="x",
    )  # fmt: skip
    file.add_imaging_plane(volume)
    return file, volume, file.create_processing_module(name="CalciumActivity", description="x")


def save(file: Any, path: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pynwb.NWBHDF5IO(str(path), "w") as target:
            target.write(file)
    return path


def draw_masks() -> np.ndarray:
    """Numbers of the neurons ``t z y x``, 3 × 3 pixels each; the second is not in the last volume."""
    masks = np.zeros((VOLUMES, *SHAPE), np.uint16)
    for volume in range(VOLUMES):
        for number, (z, y, x) in enumerate(PLACES, 1):
            if not (number == 2 and volume == VOLUMES - 1):
                masks[volume, z, y - 1 : y + 2, x - 1 : x + 2] = number
    return masks


def write_series(path: Path, order: tuple[int, ...], name: str = "CalciumSeriesSegmentation") -> Path:
    """Images of masks, as in DANDI 000692; ``order`` puts the axes ``t z y x`` as they are on disk."""
    file, volume, module = begin()
    data = draw_masks().transpose(order)
    series = worm_nwb.MultiChannelVolumeSeries(
        name=name, description="x", data=data, device=file.devices["Microscope"], unit="n.a.", rate=5.0,
        starting_time=0.0, dimension=list(data.shape[1:]), imaging_volume=volume,
    )  # fmt: skip
    module.add(series)
    module.add(
        worm_nwb.SegmentationLabels(name="NeuronIDs", labels=NAMES, description="x", MCVSeriesSegmentation=series)
    )
    return save(file, path)


def check_places(folder: Path, first: int, tracked: bool = True) -> None:
    with EditLog(folder) as log:
        marks, last = list(log.state(0).marks.values()), list(log.state(VOLUMES - 1).marks.values())
        names = {number: one.name for number, one in log.identities().items()}
        assert not log.state(0).complete
    assert [mark.centre_um for mark in marks] == [tuple(place) for place in (PLACES * [1.5, 0.5, 0.5]).tolist()]
    assert [mark.identity for mark in last] == ([first, first + 2] if tracked else [None, None])
    assert names == ({first: "RIS", first + 2: "AVAL"} if tracked else {})


def test_images_of_masks(other: Path, tmp_path: Path) -> None:
    moved = import_file(other, write_series(tmp_path / "a.nwb", (0, 3, 2, 1)), "ana")
    assert (moved.volumes, moved.neurons, moved.identities, moved.doubts) == (VOLUMES, 3 * VOLUMES - 1, 3, ())
    check_places(other, first=1)


@pytest.mark.parametrize(("order", "said"), [((0, 1, 2, 3), "TZYX"), ((0, 2, 3, 1), "TYXZ")])
def test_another_order_of_axes_is_found_and_said(other: Path, tmp_path: Path, order: tuple, said: str) -> None:
    moved = import_file(other, write_series(tmp_path / "a.nwb", order), "ana")
    assert said in moved.doubts[0]
    check_places(other, first=1)


def test_masks_that_are_not_tracked_have_no_identities(other: Path, tmp_path: Path) -> None:
    path = write_series(tmp_path / "a.nwb", (0, 3, 2, 1), "CalciumSeriesSegmentationUntracked")
    import_file(other, path, "ana")
    check_places(other, first=1, tracked=False)


def test_masks_of_another_recording_are_refused(other: Path, tmp_path: Path) -> None:
    with h5py.File(write_series(tmp_path / "a.nwb", (0, 3, 2, 1)), "a") as file:
        series = file["processing/CalciumActivity/CalciumSeriesSegmentation"]
        del series["data"]
        series["data"] = np.ones((VOLUMES, 9, 9, 3), np.uint16)
    with pytest.raises(DataError, match="not of a recording of 3 × 24 × 20"):
        import_file(other, tmp_path / "a.nwb", "ana")


def add_colours(path: Path) -> None:
    """The same voxels with colours; the extension describes such a column, but its own writer of it does not work."""
    kind = [*((name, "u4") for name in "xyzRGBW"), ("weight", "f4")]
    with h5py.File(path, "a") as file:
        for table in file["processing/CalciumActivity/CalciumSeriesSegmentation"].values():
            plain = table["voxel_mask"][()]
            coloured = np.zeros(len(plain), kind)
            for name in ("x", "y", "z", "weight"):
                coloured[name] = plain[name]
            table["color_voxel_mask"], table["color_voxel_mask_index"] = coloured, table["voxel_mask_index"][()]
            del table["voxel_mask"], table["voxel_mask_index"]


@pytest.mark.parametrize("colour", [False, True])
def test_tables_of_voxels(other: Path, tmp_path: Path, colour: bool) -> None:
    """`VolumeSegmentation` with voxels, with or without colours, and the labels beside them; weight 0 is not seen."""
    file, volume, module = begin()
    tables = []
    for t in range(VOLUMES):
        table = worm_nwb.VolumeSegmentation(
            name=f"Seg_tpoint_{t}", description="x", imaging_volume=volume, labels=["RIS", "nan", "AVAL"]
        )
        for number, (z, y, x) in enumerate(PLACES):
            weight = 0.0 if number == 1 and t == VOLUMES - 1 else 1.0
            table.add_roi(voxel_mask=[(x + dx, y, z, weight) for dx in (-1, 0, 1)])
        tables.append(table)
    module.add(pynwb.ophys.ImageSegmentation(name="CalciumSeriesSegmentation", plane_segmentations=tables))
    path = save(file, tmp_path / "a.nwb")
    if colour:
        add_colours(path)
    moved = import_file(other, path, "ana")
    assert moved.neurons == 3 * VOLUMES - 1
    check_places(other, first=0)


def test_one_table_for_all_time_is_explained(other: Path, tmp_path: Path) -> None:
    file, volume, module = begin()
    table = pynwb.ophys.PlaneSegmentation(name="Aligned_neuron_coordinates", description="x", imaging_plane=volume)
    table.add_roi(voxel_mask=[(1, 2, 1, 1.0)])
    module.add(pynwb.ophys.ImageSegmentation(name="CalciumSeriesSegmentation", plane_segmentations=[table]))
    with pytest.raises(DataError, match="where a neuron is in each volume"):
        import_file(other, save(file, tmp_path / "a.nwb"), "ana")


@pytest.mark.parametrize("kind", ["link", "storage", "virtual"])
def test_other_files_are_not_followed(other: Path, tmp_path: Path, kind: str) -> None:
    path, name = write_series(tmp_path / "a.nwb", (0, 3, 2, 1)), "processing/CalciumActivity/more"
    (tmp_path / "secret").write_bytes(bytes(64))
    with h5py.File(path, "a") as file:
        if kind == "link":
            file[name] = h5py.ExternalLink(str(tmp_path / "b.h5"), "/x")
        elif kind == "storage":
            file.create_dataset(name, (8,), "u8", external=[(str(tmp_path / "secret"), 0, 64)])
        else:
            layout = h5py.VirtualLayout((5,), "i8")
            layout[:] = h5py.VirtualSource(str(tmp_path / "b.h5"), "x", (5,))
            file.create_virtual_dataset(name, layout)
    with pytest.raises(DataError, match="leads to another file"):
        import_file(other, path, "ana")
    with EditLog(other) as log:
        assert log.revision == 0
