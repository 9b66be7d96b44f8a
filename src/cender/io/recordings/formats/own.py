"""The facts that our own HDF5, NPZ and Zarr files carry beside the pixels."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Shaped

from cender.io.recordings.formats.metadata import make_voxel, read_roles
from cender.io.recordings.formats.store import VoxelHint
from cender.types import Recording, VoxelSize

TIMES = "times"
_VOXEL_NAME = re.compile(
    r"voxel|(^|_)(pixel|px)_?(size|um|sizes)|spacing|resolution|(^|_)scale($|_)|um_per|micron|dimensions_um",
    re.IGNORECASE,
)
_ORDERS = {"zyx": (0, 1, 2), "xyz": (2, 1, 0), "yxz": (2, 0, 1)}
"""Orders of axes that a voxel size may be given in, as places of z, y and x."""


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


def is_voxel_name(name: str) -> bool:
    """Whether an array or attribute is called as voxel sizes are."""
    return _VOXEL_NAME.search(name) is not None


def read_voxel_size(name: str, value: Shaped[np.ndarray, "..."]) -> VoxelSize | VoxelHint | None:
    """Three numbers under a name like ``voxel_size``: the voxel size where unit and order are plain, else a hint.

    ``um`` in the name says the unit, ``zyx`` or ``xyz`` the order; without it, one side that is coarser than two
    equal ones is z.
    """
    numbers = np.asarray(value).ravel()
    if numbers.shape != (3,) or numbers.dtype.kind not in "iuf" or not is_voxel_name(name):
        return None
    sides = [float(side) for side in numbers]
    words = name.lower().replace("-", "_")
    order = next((places for letters, places in _ORDERS.items() if letters in words), None)
    if order is None:
        uneven = [i for i in range(3) if sides[(i + 1) % 3] == sides[(i + 2) % 3] < sides[i]]
        order = {0: (0, 1, 2), 2: (2, 1, 0)}.get(uneven[0]) if uneven else None
    plain = order is not None and re.search(r"(^|_)(um|µm|micron|microns)($|_)|voxel_?um", words) is not None
    voxel = make_voxel(*(sides[place] for place in order or (0, 1, 2)))
    if voxel is None or not np.isfinite(voxel).all():
        return None
    return voxel if plain else VoxelHint(f"{name} = {', '.join(f'{side:g}' for side in sides)}", voxel)


def choose_voxel_size(found: Mapping[str, Shaped[np.ndarray, "..."]]) -> dict[str, VoxelSize | VoxelHint]:
    """The field of a store that these named numbers fill: ``voxel_um`` or, where they are not plain, ``voxel_hint``."""
    read = [one for name, value in found.items() if (one := read_voxel_size(name, value)) is not None]
    plain = [one for one in read if isinstance(one, VoxelSize)]
    if plain:
        return {"voxel_um": plain[0]}
    return {"voxel_hint": read[0]} if read else {}


def unpack_axes(facts: Mapping[str, Any], dimensions: int) -> str | None:
    """Axes that the facts name, None where they are absent or do not fit."""
    axes = _text(np.asarray(facts["axes"]).ravel()[0]).upper() if "axes" in facts else ""
    known = len(axes) == dimensions == len(set(axes)) and set("YX") <= set(axes) <= set("TCZNYX")
    return axes if known else None


def _text(word: Any) -> str:
    return word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word)
