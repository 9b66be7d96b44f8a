"""Places of other labs in micrometres, z first: which order and unit their numbers have, as far as can be told."""

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Float

from cender.errors import DataError
from cender.io.exchange.format import Surroundings

Unit = Literal["px", "um"]
_ORDER = re.compile(r"(?<![a-z])(xyz|zyx|yxz|zxy|xzy|yzx)(?![a-z])")
_UNITS: dict[Unit, str] = {"um": r"um|µm|μm|microns?|micromet(?:er|re)s?", "px": r"px|pix|pixels?|vox|voxels?"}
# What labs write; the others are believed where they are said.
_USUAL = ("zyx", "xyz", "yxz")
_WORDS: dict[Unit, str] = {"px": "pixels", "um": "µm"}


@dataclass(frozen=True, slots=True)
class Spelling:
    """The order of three numbers, such as ``xyz``, and their unit; None where they are not said."""

    order: str | None = None
    unit: Unit | None = None

    def __str__(self) -> str:
        return f"{self.order},{self.unit}"


def read_spelling(text: str) -> Spelling:
    """What a name or a word of the user says: ``points_xyz``, ``centroids_zyx_um``, ``xyz,px``."""
    words = text.lower().replace("_", " ")
    order = _ORDER.search(words)
    units = [unit for unit, pattern in _UNITS.items() if re.search(rf"(?<![a-z])(?:{pattern})(?![a-z])", words)]
    return Spelling(order[1] if order else None, units[0] if len(units) == 1 else None)


def settle_places(
    values: Float[np.ndarray, "n 3"], said: Spelling, around: Surroundings, path: Path
) -> tuple[Float[np.ndarray, "n 3"], tuple[str, ...]]:
    """Centres in µm, ``z y x``, and a warning where order or unit are told only by the size of the recording.

    The user's ``around.places`` goes before what the file says. What is not said is taken where only one order and
    unit lets all places lie inside of the images, and asked for otherwise.
    """
    told = read_spelling(around.places or "")
    if around.places and told == Spelling():
        raise DataError(f"--places {around.places}: expected an order, a unit or both, such as xyz,px or zyx,um")
    known = Spelling(told.order or said.order, told.unit or said.unit)
    orders = (known.order,) if known.order else _USUAL
    units: tuple[Unit, ...] = (known.unit,) if known.unit else ("px", "um")
    possible = [Spelling(order, unit) for order, unit in product(orders, units)]
    if len(possible) == 1:
        return _convert(values, possible[0], around, path), ()
    fitting = [one for one in possible if _fits(values, one, around)]
    if len(fitting) == 1:
        taken = fitting[0]
        order, unit = ", ".join(taken.order or ""), _WORDS[taken.unit or "px"]
        words = f"places are taken as {order} in {unit}: no other order and unit lies inside of the images"
        return _convert(values, taken, around, path), (f"{words} (--places {taken} would say so)",)
    ways = " or ".join(map(str, fitting or possible[:4]))
    reach = " × ".join(f"{one:g}" for one in np.nanmax(values, axis=0).round(1))
    why = "they fit the images as" if fitting else "they fit the images in no way; if this is the right recording, as"
    raise DataError(
        f"{path}: the order or unit of its places (up to {reach}) is not said, and {why} {ways}; give the right one, "
        f"such as --places {(fitting or possible)[0]}"
    )


def _fits(values: Float[np.ndarray, "n 3"], one: Spelling, around: Surroundings) -> bool:
    """Whether all places lie inside of the images; anything does where these are not known."""
    if around.shape is None or around.voxel_um is None:
        return True
    place = values[:, _turn(one)]
    size = np.array(around.shape[2:]) * (np.array(around.voxel_um) if one.unit == "um" else 1.0)
    return bool((place >= -1).all() and (place <= size).all())


def _turn(one: Spelling) -> list[int]:
    order = one.order or "zyx"
    return [order.index(axis) for axis in "zyx"]


def _convert(
    values: Float[np.ndarray, "n 3"], one: Spelling, around: Surroundings, path: Path
) -> Float[np.ndarray, "n 3"]:
    place = values[:, _turn(one)].astype(float)
    if one.unit == "um":
        return place
    return np.asarray(place * np.array(around.require_voxel(f"{path}: places are in pixels")))
