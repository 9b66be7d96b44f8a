"""NeuroPAL stacks in NWB: written by the extension, their order of axes checked and not trusted."""

from pathlib import Path

import h5py
import numpy as np
import pynwb
import pytest

from cases.neuropal import CHANNELS, RGBW, write_neuropal
from cender.io import RecordingParams, open_recording
from cender.io.recordings.formats.nwb_stack import find_colour_stack

# z y x c
STACK = np.random.default_rng(3).permutation(6 * 14 * 20 * 5).astype(np.uint16).reshape(6, 14, 20, 5)
PLACES = np.array([[18, 3, 2], [4, 12, 5]])
ORDERS = {"XYZC": (2, 1, 0, 3), "YXZC": (1, 2, 0, 3), "CZYX": (3, 0, 1, 2), "CXYZ": (3, 2, 1, 0)}


@pytest.mark.parametrize("order", ORDERS)
def test_neurons_of_the_file_tell_the_order(tmp_path: Path, order: str) -> None:
    path = write_neuropal(tmp_path / "head.nwb", STACK.transpose(ORDERS[order]), PLACES, ("AVAL", "RIS"))
    recording = open_recording(path)
    assert (recording.format, recording.shape) == ("nwb", (1, 5, 6, 14, 20))
    assert recording.voxel_um == pytest.approx((1.0, 0.25, 0.25))
    assert np.array_equal(recording.read(0, (0, 1, 2, 3, 4)), STACK.transpose(3, 0, 1, 2))
    assert recording.roles == ("other", "red", "other", "other", "other"), "the pan-neuronal channel"
    assert [one.what for one in recording.missing] == []
    assert any("not XYZC as in its schema" in said for said in recording.warnings) == (order != "XYZC")
    assert find_colour_stack(path) == ("NeuroPALImageRaw", RGBW)


def test_what_does_not_settle_the_order_is_asked_for(tmp_path: Path) -> None:
    path = write_neuropal(tmp_path / "head.nwb", STACK.transpose(ORDERS["CZYX"]))
    recording = open_recording(path)
    assert "axes" in [one.what for one in recording.missing]
    assert "cannot be settled" in recording.warnings[0]
    told = open_recording(path, RecordingParams(axes="CZYX"))
    assert np.array_equal(told.read(0, (0, 1, 2, 3, 4)), STACK.transpose(3, 0, 1, 2))


def test_the_schema_is_followed_where_nothing_speaks_against_it(tmp_path: Path) -> None:
    path = write_neuropal(tmp_path / "head.nwb", STACK.transpose(ORDERS["XYZC"]))
    with h5py.File(path, "r+") as file:
        del file["acquisition/NeuroPALImageRaw/RGBW_channels"]
    recording = open_recording(path)
    assert (recording.shape, recording.roles) == ((1, 5, 6, 14, 20), None)
    assert find_colour_stack(path) == ("NeuroPALImageRaw", ())
    with pynwb.NWBHDF5IO(str(write_neuropal(tmp_path / "whole.nwb", STACK.transpose(ORDERS["XYZC"]))), "r") as opened:
        stack = opened.read().acquisition["NeuroPALImageRaw"]
        assert stack.imaging_volume.order_optical_channels.channels[:].tolist() == list(CHANNELS)
        assert np.array_equal(recording.read(0, (2,))[0], stack.data[..., 2].T)
