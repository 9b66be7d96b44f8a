"""What a user may have to say about a recording because its file does not."""

from typing import Any, Literal

import numpy as np
from pydantic import Field, PositiveInt, field_validator

from cender.types import Params, Role


class RecordingParams(Params):
    """How to read a recording; whatever the file itself carries needs no setting."""

    axes: str | None = Field(
        None,
        description="order of the file's dimensions, slowest first, in letters of TCZYX, e.g. 'TZCYX' or 'TCXYZ'; "
        "N = camera frames in one stream",
    )
    dataset: str | None = Field(
        None,
        description="HDF5 dataset, MATLAB variable or NPZ array to read, where there are several; names with commas "
        "between them are channels: 'red,blue'",
    )
    voxel_um: tuple[float, float, float] | None = Field(None, description="voxel size in micrometres: [z, y, x]")
    rate_hz: float | None = Field(None, gt=0, description="volumes per second")
    roles: tuple[Role, ...] | None = Field(
        None,
        description="what each channel shows, in file order: 'red' (reference), 'green' (activity), 'other'",
    )
    green: str | None = Field(None, description="file of the green channel, where each channel has a file of its own")
    frames_per_volume: int | None = Field(
        None, ge=1, description="camera frames per volume of a raw stream, fly-back frames included"
    )
    first_frame: int = Field(0, ge=0, description="camera frames to skip before the first volume")
    keep_frames: tuple[int, int] | None = Field(
        None, description="frames of each volume to keep, half-open: [0, 18] drops two fly-back frames of 20"
    )
    scan: Literal["up", "up-down"] = Field(
        "up", description="'up-down': every second volume is scanned from the other end"
    )
    split: Literal["none", "left-right", "top-bottom"] = Field(
        "none", description="one sensor carrying two channels in its halves, in the order of roles"
    )
    raw_shape: tuple[PositiveInt, PositiveInt] | None = Field(
        None,
        description="height and width in pixels of the frames of a .raw, .dat or .bin file: [height, width]",
    )
    raw_dtype: str = Field(
        "uint16", description="pixel type of a .raw, .dat or .bin file, e.g. 'uint16', '>u2', 'float32'"
    )
    raw_header: int = Field(0, ge=0, description="bytes before the first frame of a .raw, .dat or .bin file")

    # Validators of one field that run before it run from the last to the first: text is split, then counted.
    @field_validator("voxel_um", mode="before")
    @classmethod
    def _want_three(cls, value: Any) -> Any:
        found = value if isinstance(value, list | tuple) else [value]
        if value is not None and len(found) != 3:
            told = ",".join(str(side) for side in found)
            raise ValueError(f"a voxel has three sides in micrometres, z first, e.g. 1.5,0.3,0.3; found {told}")
        return value

    @field_validator("voxel_um", "roles", "keep_frames", "raw_shape", mode="before")
    @classmethod
    def _split_text(cls, value: Any) -> Any:
        """Take ``red,green`` too: brackets and quotation marks seldom survive a shell."""
        return [part.strip(" \"'") for part in value.strip("[] ").split(",")] if isinstance(value, str) else value

    @field_validator("axes")
    @classmethod
    def _check_axes(cls, axes: str | None) -> str | None:
        if axes is None:
            return None
        axes = axes.upper()
        if len(set(axes)) != len(axes) or not set("YX") <= set(axes) <= set("TCZYXN"):
            raise ValueError(f"axes are Y, X and letters of T, C, Z (or N), in any order, each once; found {axes!r}")
        return axes

    @field_validator("raw_dtype")
    @classmethod
    def _check_dtype(cls, name: str) -> str:
        try:
            known = np.dtype(name).kind in "iuf"
        except TypeError:
            known = False
        if not known:
            raise ValueError(
                f"a pixel type is an integer or float type of numpy, e.g. 'uint16', '>u2', 'float32'; found {name!r}"
            )
        return name

    @field_validator("voxel_um")
    @classmethod
    def _check_voxel(cls, voxel: tuple[float, float, float] | None) -> tuple[float, float, float] | None:
        if voxel is not None and not all(0.01 <= size <= 100 for size in voxel):
            raise ValueError(
                f"voxel sizes are micrometres between 0.01 and 100, in the order z, y, x; found {list(voxel)}"
            )
        return voxel
