"""The microscope's channels and voxels in NWB: an imaging volume with one optical channel for each role."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.exchange.format import Outgoing
from cender.io.exchange.nwb.kit import Kit
from cender.io.exchange.nwb.subject import Optics, Subject
from cender.types import Recording, VoxelSize


def find_channels(out: Outgoing, recording: Recording | None) -> tuple[str, ...]:
    """Roles of the channels in the order of the file; a channel of neither role is described by nothing we know."""
    if recording is not None and recording.roles is not None:
        if "other" in recording.roles:
            raise DataError(f"{recording.source} has a channel that is neither red nor green; export without --images")
        return tuple(recording.roles)
    one = out.around.shape is not None and out.around.shape[1] == 1
    return ("red",) if one else ("red", "green")


def describe_optics(kit: Kit, subject: Subject, channels: Sequence[str], voxel: VoxelSize, device: Any) -> Any:
    """The imaging volume, with its channels in their order."""
    described = [_describe_channel(kit, role, getattr(subject, role)) for role in channels]
    order = kit.worm.OpticalChannelReferences(name="order_optical_channels", channels=[one.name for one in described])
    volume = kit.worm.ImagingVolume(
        name="CalciumImVol",
        optical_channel_plus=described,
        order_optical_channels=order,
        description="the head of the animal; channels are in the order of order_optical_channels",
        device=device,
        location="head",
        reference_frame="the camera's: x along rows of pixels, y down, z through the frames of a volume",
        grid_spacing=[voxel.x_um, voxel.y_um, voxel.z_um],
        grid_spacing_unit="micrometers",
        origin_coords=[0.0, 0.0, 0.0],
        origin_coords_unit="micrometers",
    )
    # The extension puts 0 nm and no indicator here and takes no others; what is known is better.
    volume.fields["excitation_lambda"] = described[0].excitation_lambda
    volume.fields["indicator"] = ", ".join(getattr(subject, role).indicator for role in channels)
    return volume


def _describe_channel(kit: Kit, role: str, optics: Optics | None) -> Any:
    if optics is None:
        raise DataError(f"[subject.{role}] is missing")
    # The role is part of the name: readers, ours too, find the channels by it.
    return kit.worm.OpticalChannelPlus(
        name=f"{role} {optics.indicator}",
        description=f"{role} channel: {optics.indicator}",
        emission_lambda=float(np.mean(optics.emission_nm)),
        emission_range=list(optics.emission_nm),
        excitation_lambda=optics.excitation_nm,
        excitation_range=list(optics.excitation_range_nm or (optics.excitation_nm, optics.excitation_nm)),
    )
