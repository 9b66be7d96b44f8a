"""How much a file may ask for before anything of it is read."""

from pathlib import Path

import numpy as np
from jaxtyping import Float

from cender.errors import DataError
from cender.io.exchange.format import Surroundings

MOST_ROWS = 50_000_000
"""More neurons than 150 in each of 300,000 volumes."""
MOST_TEXT_BYTES = 2**31


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
    far = (centre_um / np.array(around.voxel_um)).max(axis=0)
    if (far <= size).all():
        return
    turned = (far[[0, 2, 1]] <= size).all()
    raise DataError(
        f"{where}: a neuron lies at z y x = {far.round(1).tolist()} px, but the recording has "
        + " × ".join(map(str, size.tolist()))
        + ("; x and y are exchanged in this file or in recording.axes" if turned else "; is it of another recording?")
    )
