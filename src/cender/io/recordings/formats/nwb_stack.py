"""Colour stacks in NWB files of the C. elegans labs: one volume of many channels, such as ``NeuroPALImageRaw``."""

from pathlib import Path
from typing import Any

import h5py

from cender.io.recordings.formats.hdf5 import open_hdf5
from cender.types import Role

KINDS = ("MultiChannelVolumeSeries", "TwoPhotonSeries", "OnePhotonSeries", "ImageSeries")
MOST_CHANNELS = 8
"""Channels that a stack may have."""
_STACK, _NAME = "MultiChannelVolume", "NeuroPALImageRaw"
_MOST_VOXELS = 5_000_000
"""Largest voxel mask that is read."""


def find_colour_stack(path: Path) -> tuple[str, tuple[int, ...]] | None:
    """The colour stack of an NWB file: its name, and its red, green, blue and pan-neuronal channels.

    The channels are empty where the file does not say them (``RGBW_channels``); None where there is no such stack.
    """
    with open_hdf5(path) as file:
        found = {name: item for name, item in list_images(file).items() if is_stack(item)}
        if not found:
            return None
        name = _NAME if _NAME in found else min(found)
        return name, read_colours(found[name])


def list_images(file: Any) -> dict[str, Any]:
    """Image series and colour stacks, by name."""
    return {
        str(name): item
        for name, item in file.get("acquisition", {}).items()
        if isinstance(item, h5py.Group)
        and str(item.attrs.get("neurodata_type")) in (*KINDS, _STACK)
        and isinstance(item.get("data"), h5py.Dataset)
    }


def is_stack(item: Any) -> bool:
    """Whether a group of the file is one volume in colours and not a series of volumes."""
    return str(item.attrs.get("neurodata_type")) == _STACK


def read_colours(stack: Any) -> tuple[int, ...]:
    """The red, green, blue and pan-neuronal channels, from 0; empty where the file does not say them."""
    listed = stack.get("RGBW_channels")
    if not isinstance(listed, h5py.Dataset) or listed.shape != (4,) or listed.dtype.kind not in "iu":
        return ()
    channels = tuple(int(channel) for channel in listed[()])
    return channels if len(set(channels)) == 4 and min(channels) >= 0 and max(channels) < MOST_CHANNELS else ()


def find_reference(colours: tuple[int, ...], count: int) -> tuple[tuple[Role, ...] | None, tuple[str, ...]]:
    """Roles of a colour stack: the pan-neuronal channel is the reference, as far as the file says which that is."""
    if not colours or colours[3] >= count:
        return None, ()
    roles: list[Role] = ["other"] * count
    roles[colours[3]] = "red"
    return tuple(roles), (f"channel {colours[3]}, by RGBW_channels the pan-neuronal one, is taken as the reference",)


def find_reach(file: Any, volume: Any) -> dict[str, int]:
    """How many pixels along x, y and z the neurons need that a file marks in an imaging volume."""
    reach: dict[str, int] = {}

    def note(name: str, item: Any) -> None:
        mask = item.get("voxel_mask", item.get("color_voxel_mask")) if isinstance(item, h5py.Group) else None
        if not isinstance(mask, h5py.Dataset) or not set("xyz") <= set(mask.dtype.names or ()):
            return
        if not 0 < mask.size <= _MOST_VOXELS:
            return
        if volume is None or volume not in (item.get("imaging_plane"), item.get("imaging_volume")):
            return
        rows = mask[()]
        for axis in "xyz":
            reach[axis.upper()] = max(reach.get(axis.upper(), 0), int(rows[axis].max()) + 1)

    if isinstance(file.get("processing"), h5py.Group):
        file["processing"].visititems(note)
    return reach
