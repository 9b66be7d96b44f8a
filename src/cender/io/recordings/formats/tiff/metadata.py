"""What OME-XML and ImageJ write into a TIFF: voxel size, interval, channel names, time stamps."""

from math import isfinite, nan
from typing import Any

import numpy as np
import tifffile
from jaxtyping import Float

from cender.io.recordings.formats.metadata import convert_s, convert_um, make_voxel, read_roles


def read_ome(tif: Any, axes: str, shape: tuple[int, ...]) -> dict[str, Any]:
    """Voxel size, rate, roles and time stamps of OME-XML, as fields of a store."""
    image = _listed(tifffile.xml2dict(tif.ome_metadata).get("OME", {}).get("Image"))
    pixels = _listed(image[0].get("Pixels"))[0] if image else {}
    sides = [
        convert_um(_number(pixels.get(f"PhysicalSize{letter}")), str(pixels.get(f"PhysicalSize{letter}Unit", "µm")))
        for letter in "ZYX"
    ]
    interval_s = convert_s(_number(pixels.get("TimeIncrement")), str(pixels.get("TimeIncrementUnit", "s")))
    names = [str(channel.get("Name", "")) for channel in _listed(pixels.get("Channel"))]
    return {
        "voxel_um": make_voxel(*sides),
        "rate_hz": 1 / interval_s if isfinite(interval_s) else None,
        "times_s": _read_times(_listed(pixels.get("Plane")), axes, shape),
        "roles": read_roles(names),
    }


def read_imagej(tif: Any) -> dict[str, Any]:
    """Voxel size and rate that ImageJ writes, as fields of a store."""
    said = tif.imagej_metadata or {}
    unit = str(said.get("unit", ""))
    tags = tif.pages[0].tags
    z, y, x = (
        convert_um(_number(said.get("spacing")), unit),
        convert_um(_pixel_side(tags, "YResolution"), str(said.get("yunit", unit))),
        convert_um(_pixel_side(tags, "XResolution"), unit),
    )
    interval, frames = _number(said.get("finterval")), _number(said.get("fps"))
    rate = 1 / interval if interval else frames or None
    return {"voxel_um": make_voxel(z, y, x), "rate_hz": rate}


def _read_times(planes: list[Any], axes: str, shape: tuple[int, ...]) -> Float[np.ndarray, " t"] | None:
    """Mean time of the images of each volume, which is the middle of the volume."""
    volumes = shape[axes.index("T")] if "T" in axes else 1
    total, count = np.zeros(volumes), np.zeros(volumes)
    for plane in planes:
        step, time = int(plane.get("TheT", -1)), _number(plane.get("DeltaT"))
        if time is not None and 0 <= step < volumes:
            scale = convert_s(1.0, str(plane.get("DeltaTUnit", "s")))
            total[step] += time * scale
            count[step] += 1
    if not count.all() or not np.isfinite(total).all():
        return None
    return np.asarray(total / count)


def _pixel_side(tags: Any, name: str) -> float:
    value = tags[name].value if name in tags else (0, 1)
    return value[1] / value[0] if value[0] else nan


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _listed(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]
