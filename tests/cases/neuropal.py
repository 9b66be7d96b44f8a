"""A NeuroPAL stack as the WormID labs publish it, written by pynwb and the extension."""

import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import ndx_multichannel_volume as worm_nwb
import numpy as np
import pynwb

CHANNELS = ("mNeptune 2.5", "Tag RFP-T", "CyOFP1", "GFP-GCaMP", "mTagBFP2")
RGBW = (0, 2, 4, 1)
VOXEL_XYZ = (0.25, 0.25, 1.0)


def write_neuropal(path: Path, data: np.ndarray, places: np.ndarray | None = None, names: tuple[str, ...] = ()) -> Path:
    """Write ``NeuroPALImageRaw`` with data in whatever order they have, and neurons at ``x y z`` where given."""
    file = pynwb.NWBFile("a NeuroPAL head", "id", datetime(2024, 1, 1, tzinfo=UTC))
    volume = _describe_volume(file)
    stack = worm_nwb.MultiChannelVolume(
        name="NeuroPALImageRaw", description="x", imaging_volume=volume, data=data.astype(np.uint16),
        RGBW_channels=list(RGBW),
    )  # fmt: skip
    file.add_acquisition(stack)
    if places is not None:
        module = file.create_processing_module(name="NeuroPAL", description="x")
        segmentation = pynwb.ophys.ImageSegmentation(name="NeuroPALSegmentation")
        table = worm_nwb.VolumeSegmentation(
            name="NeuroPALNeurons", description="x", imaging_volume=volume, labels=list(names)
        )
        for x, y, z in places.tolist():
            table.add_roi(voxel_mask=[(x, y, z, 1)])
        segmentation.add_plane_segmentation(table)
        module.add(segmentation)
    with warnings.catch_warnings():
        # The extension's kind of channels is not the one that the validator asks for.
        warnings.simplefilter("ignore")
        with pynwb.NWBHDF5IO(str(path), "w") as target:
            target.write(file)
    return path


def _describe_volume(file: Any) -> Any:
    device = file.create_device(name="Microscope")
    channels = [
        worm_nwb.OpticalChannelPlus(
            name=name, description=name, emission_lambda=600.0, emission_range=[580.0, 620.0],
            excitation_lambda=561.0, excitation_range=[560.0, 562.0],
        )
        for name in CHANNELS
    ]  # fmt: skip
    order = worm_nwb.OpticalChannelReferences(name="order_optical_channels", channels=list(CHANNELS))
    volume = worm_nwb.ImagingVolume(
        name="NeuroPALImVol", description="x", optical_channel_plus=channels, order_optical_channels=order,
        device=device, location="head", grid_spacing=list(VOXEL_XYZ), grid_spacing_unit="micrometers",
        reference_frame="x",
    )  # fmt: skip
    file.add_imaging_plane(volume)
    return volume
