"""How much a file may ask for before anything of it is read."""

from pathlib import Path

import numpy as np
from jaxtyping import Float

from cender.errors import DataError
from cender.io.exchange.format import Surroundings

MOST_ROWS = 50_000_000
"""More neurons than 150 in each of 300,000 volumes."""
MOST_TEXT_BYTES = 2**31
"""Largest text file that is read."""


def check_rows(path: Path, what: str, count: int) -> None:
    """Refuse a table that is longer than any recording can need."""
    if count > MOST_ROWS:
        raise DataError(f"{path}, {what}: expected at most {MOST_ROWS:,} rows, found {count:,}; the file is damaged")


def check_text_size(path: Path) -> None:
    """Refuse a text file that cannot be taken into memory."""
    size = path.stat().st_size
    if size > MOST_TEXT_BYTES:
        raise DataError(f"{path} has {size / 1e9:.1f} GB; expected at most {MOST_TEXT_BYTES / 1e9:.1f} GB of text")


def check_inside(centre_um: Float[np.ndarray, "n 3"], around: Surroundings, where: str) -> None:
    """Refuse places outside of the images: axes or units that are exchanged show there."""
    if around.shape is None or around.voxel_um is None or not len(centre_um):
        return
    size = np.array(around.shape[2:])
    place = centre_um / np.array(around.voxel_um)
    near, far = place.min(axis=0), place.max(axis=0)
    # The outer edge of the first pixel is half a pixel before it; what rounding adds is forgiven.
    if (near >= -1).all() and (far <= size).all():
        return
    if (near < -1).any():
        worst, why = near, "places are counted from the corner of the images; are these centred on the animal?"
    else:
        turned = (far[[0, 2, 1]] <= size).all()
        worst = far
        why = "x and y are exchanged in this file or in recording.axes" if turned else "is it of another recording?"
    sizes = " × ".join(map(str, size.tolist()))
    raise DataError(
        f"{where}: a neuron lies at z y x = {worst.round(1).tolist()} px, but the recording has {sizes}; {why}"
    )
