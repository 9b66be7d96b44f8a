"""Sizes, rate and roles: what the file says, what the user says, and what is not said."""

from math import isfinite

import numpy as np
from jaxtyping import Float

from cender.errors import ConfigError
from cender.io.params import RecordingParams
from cender.io.recordings.formats.store import VoxelHint
from cender.types import Missing, Role, VoxelSize
from cender.types.words import say_count

Warnings = tuple[str, ...]
_TOLERANCE = 0.01
"""Relative difference up to which what a file says and what the user says are the same."""


def settle_roles(
    said: tuple[Role, ...] | None, params: RecordingParams, channels: int, source: str
) -> tuple[tuple[Role, ...] | None, tuple[Missing, ...], Warnings]:
    """Channel roles, what is missing of them, and warnings."""
    if params.roles is not None:
        if len(params.roles) != channels:
            raise ConfigError(
                f"recording.roles={','.join(params.roles)} names {say_count(len(params.roles), 'channel')}, "
                f"but {source} has {channels}"
            )
        for colour in ("red", "green"):
            if params.roles.count(colour) > 1:
                raise ConfigError(f"recording.roles={','.join(params.roles)}: only one channel can be {colour}")
        if said is not None and len(said) == channels and said != params.roles:
            told = ",".join(params.roles)
            return (
                params.roles,
                (),
                (f"the file says its channels are {','.join(said)}; recording.roles={told} is used instead",),
            )
        return params.roles, (), ()
    if said is not None and len(said) == channels:
        return said, (), ()
    if channels == 1:
        return ("red",), (Missing("channel roles", "recording.roles=red", "red"),), ()
    order = ",".join(["red", "green", *["other"] * (channels - 2)])
    return None, (Missing("channel roles", f"recording.roles={order}"),), ()


def settle_voxel(
    said: VoxelSize | None, params: RecordingParams, hint: VoxelHint | None = None
) -> tuple[VoxelSize | None, tuple[Missing, ...], Warnings]:
    """Voxel size, what is missing of it, and warnings."""
    if params.voxel_um is not None:
        told = VoxelSize(*params.voxel_um)
        if said is not None and any(
            isfinite(s) and abs(s / t - 1) > _TOLERANCE for s, t in zip(said, told, strict=True)
        ):
            return (
                told,
                (),
                (
                    f"the file says a voxel is {_list(said)} µm (z, y, x); recording.voxel_um={_list(told)} "
                    "is used instead",
                ),
            )
        return told, (), ()
    if said is not None and all(isfinite(side) for side in said):
        return said, (), ()
    if hint is not None and said is None:
        return (
            None,
            (Missing("voxel size", f"recording.voxel_um={_list(hint.voxel_um)}", hinted=True),),
            (f"{hint.where} looks like the voxel size, but says neither its unit nor its order; check it first",),
        )
    known = said or VoxelSize(float("nan"), float("nan"), float("nan"))
    sides = [f"{side:g}" if isfinite(side) else name for side, name in zip(known, "ZYX", strict=True)]
    return None, (Missing("voxel size", f"recording.voxel_um={','.join(sides)}"),), ()


def settle_rate(
    said_hz: float | None, times_s: Float[np.ndarray, " n"] | None, params: RecordingParams, volumes: int
) -> tuple[float | None, Float[np.ndarray, " t"] | None, tuple[Missing, ...], Warnings]:
    """Volume rate, time stamps, what is missing of them, and warnings."""
    warnings: list[str] = []
    times = None if times_s is None else np.asarray(times_s, float)
    if times is not None and (len(times) < volumes or np.any(np.diff(times[:volumes]) <= 0)):
        found = f"{len(times)} for {volumes} volumes" if len(times) < volumes else "not rising"
        warnings.append(f"the time stamps of the file are not used: {found}")
        times = None
    if times is not None:
        times = times[:volumes]
        if len(times) > 1:
            said_hz = said_hz or float(1 / np.median(np.diff(times)))
    if params.rate_hz is not None:
        if said_hz and abs(said_hz / params.rate_hz - 1) > _TOLERANCE:
            warnings.append(
                f"the file says {said_hz:.4g} volumes per second; recording.rate_hz={params.rate_hz:g} is used instead"
            )
            times = None
        return params.rate_hz, times, (), tuple(warnings)
    # Of one volume there is no rate.
    lacking = () if said_hz or volumes == 1 else (Missing("rate", "recording.rate_hz=VOLUMES_PER_SECOND"),)
    return said_hz or None, times, lacking, tuple(warnings)


def _list(sides: VoxelSize) -> str:
    return ",".join(f"{side:g}" if isfinite(side) else "?" for side in sides)
