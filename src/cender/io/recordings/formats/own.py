"""The facts that our own HDF5, NPZ and Zarr files carry beside the pixels."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cender.io.recordings.formats.metadata import make_voxel, read_roles
from cender.types import Recording

TIMES = "times"


def pack_facts(recording: Recording) -> dict[str, Any]:
    """Axes, voxel size, rate and roles of a recording; what is not known is left out."""
    facts: dict[str, Any] = {"axes": "TCZYX"}
    if recording.voxel_um is not None:
        facts["voxel_um"] = [float(side) for side in recording.voxel_um]
    if recording.rate_hz is not None:
        facts["rate_hz"] = float(recording.rate_hz)
    if recording.roles is not None:
        facts["roles"] = ",".join(recording.roles)
    return facts


def unpack_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The same as fields of a store, axes apart; what does not make sense is left out."""
    found: dict[str, Any] = {}
    voxel = np.atleast_1d(np.asarray(facts["voxel_um"])).ravel() if "voxel_um" in facts else np.zeros(0)
    if voxel.shape == (3,) and voxel.dtype.kind in "iuf":
        found["voxel_um"] = make_voxel(*map(float, voxel))
    rate = np.asarray(facts.get("rate_hz", np.nan)).ravel()
    if rate.shape == (1,) and rate.dtype.kind in "iuf" and np.isfinite(rate[0]) and rate[0] > 0:
        found["rate_hz"] = float(rate[0])
    if "roles" in facts:
        words = np.asarray(facts["roles"]).ravel()
        found["roles"] = read_roles([part for word in words for part in _text(word).split(",")])
    return found


def unpack_axes(facts: Mapping[str, Any], dimensions: int) -> str | None:
    """Axes that the facts name, None where they are absent or do not fit."""
    axes = _text(np.asarray(facts["axes"]).ravel()[0]).upper() if "axes" in facts else ""
    known = len(axes) == dimensions == len(set(axes)) and set(axes) <= set("TCZNYX") and axes.endswith(("YX", "XY"))
    return axes if known else None


def _text(word: Any) -> str:
    return word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word)
