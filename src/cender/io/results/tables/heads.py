"""A head as cells of a table: ``heads`` of a truth folder, ``volumes`` of a run folder."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from cender.errors import DataError
from cender.types import Crop, Head

AXIS_COLUMNS = ("origin_y", "origin_x", "anterior_y", "anterior_x", "ventral_y", "ventral_x")
CROP_COLUMNS = ("crop_x", "crop_y", "crop_w", "crop_h")
HEAD_COLUMNS = (*AXIS_COLUMNS, *CROP_COLUMNS, "quality", "confidence", "outline")


def head_to_cells(head: Head | None) -> dict[str, Any]:
    """The columns of a head; all empty where there is none."""
    if head is None:
        return dict.fromkeys(HEAD_COLUMNS)
    axes = np.concatenate([head.origin_yx, head.anterior_yx, head.ventral_yx]).tolist()
    return {
        **dict(zip(AXIS_COLUMNS, axes, strict=True)),
        **dict(zip(CROP_COLUMNS, map(int, head.crop), strict=True)),
        "quality": float(head.quality),
        "confidence": float(head.confidence),
        "outline": format_outline(head.outline_yx) or None,
    }


def head_from_cells(cells: Mapping[str, Any], where: str) -> Head | None:
    """The head in a row of a table, None where its axes are empty; ``where`` names the row in messages.

    Without a crop it is the box around the outline, empty (``w = h = 0``) where there is no outline either.
    """
    axes = [cells.get(name) for name in AXIS_COLUMNS]
    if any(value is None or math.isnan(value) for value in axes):
        return None
    outline = parse_outline(cells.get("outline"), where)
    corners = [cells.get(name) for name in CROP_COLUMNS]
    known = [int(value) for value in corners if value is not None]
    crop = Crop(*known) if len(known) == len(CROP_COLUMNS) else _bound(outline)
    origin, anterior, ventral = np.array(axes, float).reshape(3, 2)
    quality, confidence = (1.0 if cells.get(n) is None else cells[n] for n in ("quality", "confidence"))
    return Head(crop, outline, origin, anterior, ventral, float(quality), float(confidence))


def format_outline(outline_yx: Float[np.ndarray, "n 2"]) -> str:
    """A polygon as text, ``y x;y x;...`` in full-frame pixels."""
    return ";".join(f"{y!r} {x!r}" for y, x in outline_yx.astype(float).tolist())


def parse_outline(text: str | None, where: str) -> Float[np.ndarray, "n 2"]:
    """The polygon of a text ``y x;y x;...``, without corners where the text is empty."""
    if not text:
        return np.zeros((0, 2))
    try:
        corners = np.array([[float(word) for word in corner.split()] for corner in text.split(";")])
    except ValueError:
        corners = np.zeros(0)
    if corners.ndim != 2 or corners.shape[1] != 2 or not np.isfinite(corners).all():
        raise DataError(f"{where}, column 'outline': expected pairs of numbers like '3.5 7;4 9', found {text!r}")
    return corners


def _bound(outline_yx: Float[np.ndarray, "n 2"]) -> Crop:
    if not len(outline_yx):
        return Crop(0, 0, 0, 0)
    y, x = np.floor(outline_yx.min(axis=0)).astype(int).tolist()
    bottom, right = np.ceil(outline_yx.max(axis=0)).astype(int).tolist()
    return Crop(x, y, right - x + 1, bottom - y + 1)
