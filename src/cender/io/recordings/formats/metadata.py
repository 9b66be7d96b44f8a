"""What words of other people's files mean: channel names, units of length and time."""

import re
from collections.abc import Sequence
from math import isfinite, nan

from cender.types import Role, VoxelSize

_WORDS: dict[Role, str] = {
    "red": r"red|rfp|t?ag[-_ ]?rfp|mneptune|mcherry|mscarlet|mkate2?|dsred|tdtomato|mapple|reference|ref",
    "green": r"green|gcamp|e?gfp|mneongreen|signal|activity|calcium",
    "other": r"other|blue|e?bfp|cfp|dic|bright[-_ ]?field|bf|behaviou?r|dapi|unused",
}
"""Words in the names of channels that tell their role."""
_MICROMETRES = {
    "µm": 1.0, "μm": 1.0, "um": 1.0, "micron": 1.0, "microns": 1.0, "micrometer": 1.0, "micrometre": 1.0,
    "\\u00b5m": 1.0, "nm": 1e-3, "nanometer": 1e-3, "nanometre": 1e-3, "mm": 1e3, "millimeter": 1e3,
    "millimetre": 1e3, "cm": 1e4, "centimeter": 1e4, "m": 1e6, "meter": 1e6, "metre": 1e6, "å": 1e-4,
    "angstrom": 1e-4, "inch": 25400.0,
}  # fmt: skip
_SECONDS = {
    "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3,
    "µs": 1e-6, "us": 1e-6, "microsecond": 1e-6, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0,
}  # fmt: skip


def read_roles(names: Sequence[str]) -> tuple[Role, ...] | None:
    """Roles that channel names say; None unless every name is clear and no colour is there twice."""
    roles: list[Role] = []
    for name in names:
        words = [role for role, pattern in _WORDS.items() if _says(pattern, name)]
        if len(words) != 1:
            return None
        roles.append(words[0])
    if not roles or roles.count("red") > 1 or roles.count("green") > 1:
        return None
    return tuple(roles)


def _says(pattern: str, name: str) -> bool:
    return re.search(rf"(?<![a-z])(?:{pattern})(?![a-z])", name.lower().replace("gcamp", " gcamp ")) is not None


def convert_um(value: float | None, unit: str | None) -> float:
    """A length in micrometres; NaN where there is none or its unit says nothing (pixels, arbitrary)."""
    factor = _MICROMETRES.get((unit or "").strip().lower())
    return nan if value is None or factor is None or not isfinite(value) or value <= 0 else value * factor


def convert_s(value: float | None, unit: str | None) -> float:
    """A duration in seconds; NaN where there is none or its unit says nothing."""
    factor = _SECONDS.get((unit or "").strip().lower())
    return nan if value is None or factor is None or not isfinite(value) or value <= 0 else value * factor


def make_voxel(z_um: float, y_um: float, x_um: float) -> VoxelSize | None:
    """A voxel size, None where no side is known; sides no microscope has count as not known."""
    sides = [side if 0.01 <= side <= 100 else nan for side in (z_um, y_um, x_um)]
    return VoxelSize(*sides) if any(isfinite(side) for side in sides) else None
