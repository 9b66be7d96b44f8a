"""Head crops kept in a run folder: ``crops.zarr``, so that pictures arrive at once and travel with the folder.

One chunk per volume and channel, padded to the largest crop; ``boxes`` holds ``x y w h`` of every volume, ``w`` = 0
where it has not been written. Boxes are written after the pixels, so that an interrupted writer leaves no half volume.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from jaxtyping import Shaped

from cender.errors import DataError
from cender.types import Crop

FOLDER_NAME = "crops.zarr"
FORMAT = 1
"""Format of the kept crops."""
_ERRORS = (ValueError, KeyError, TypeError, OSError, IndexError, AttributeError)


@dataclass(slots=True)
class CropStore:
    """The crops of one run folder."""

    path: Path
    roles: tuple[str, ...]
    made_with: tuple[float, ...]
    """What the pixels were made with besides the recording: the map that brought green to red."""
    _pixels: Any
    _boxes: Any
    _known: np.ndarray

    @property
    def volumes(self) -> frozenset[int]:
        """The volumes that are there."""
        return frozenset(np.flatnonzero(self._known[:, 2] > 0).tolist())

    def fits(self, volumes: int, shape: tuple[int, int, int]) -> bool:
        """Whether crops of this shape of so many volumes have their place here."""
        return len(self._known) >= volumes and self._pixels.shape[2:] == shape

    def load(self, volume: int) -> tuple[Crop, dict[str, Shaped[np.ndarray, "z y x"]]] | None:
        """Where the crop of a volume lies and its pixels by channel, None where it is not there."""
        if not 0 <= volume < len(self._known) or self._known[volume, 2] <= 0:
            return None
        crop = Crop(*self._known[volume].tolist())
        try:
            pixels = np.asarray(self._pixels[volume, :, :, : crop.h, : crop.w])
        except _ERRORS as error:
            raise DataError(
                f"{self.path}: volume {volume} cannot be read ({error}); remove the folder, and make it again with "
                "`cender annotate WORM --crops`"
            ) from error
        return crop, {role: pixels[row] for row, role in enumerate(self.roles)}

    def save(self, volume: int, crop: Crop, pixels: Mapping[str, Shaped[np.ndarray, "z y x"]]) -> None:
        """Keep the crop of one volume; `flush` makes it known."""
        for row, role in enumerate(self.roles):
            padded = np.zeros(self._pixels.shape[2:], self._pixels.dtype)
            padded[:, : crop.h, : crop.w] = pixels[role]
            self._pixels[volume, row] = padded
        self._known[volume] = crop

    def flush(self) -> None:
        """Make known which volumes are there."""
        self._boxes[:] = self._known


def open_crops(folder: Path) -> CropStore | None:
    """The crops of a run folder, None where there are none."""
    path = folder / FOLDER_NAME
    if not path.is_dir():
        return None
    try:
        group: Any = zarr.open_group(str(path), mode="r+")
        found = group.attrs.get("format")
        if found != FORMAT:
            raise DataError(f"{path}: crops of format {found}; this cender knows {FORMAT}: update it, or remove them")
        roles = tuple(str(role) for role in group.attrs["roles"])
        made_with = tuple(float(value) for value in group.attrs.get("made_with", ()))
        return CropStore(path, roles, made_with, group["pixels"], group["boxes"], np.asarray(group["boxes"][:]))
    except _ERRORS as error:
        raise DataError(f"{path} cannot be opened ({error}); remove it, the page then reads the recording") from error


def create_crops(
    folder: Path,
    volumes: int,
    roles: tuple[str, ...],
    shape: tuple[int, int, int],
    dtype: np.dtype,
    made_with: tuple[float, ...] = (),
) -> CropStore:
    """Empty crops for a run folder in place of those that are there; ``shape`` is that of the largest crop."""
    path = folder / FOLDER_NAME
    if path.exists():
        shutil.rmtree(path)
    group: Any = zarr.open_group(str(path), mode="w", zarr_format=3)
    pixels = group.create_array(
        "pixels", shape=(volumes, len(roles), *shape), dtype=dtype, chunks=(1, 1, *shape), fill_value=0
    )
    boxes = group.create_array("boxes", shape=(volumes, 4), dtype="int32", chunks=(volumes, 4), fill_value=0)
    group.attrs.update({"format": FORMAT, "roles": list(roles), "made_with": list(made_with)})
    return CropStore(path, roles, made_with, pixels, boxes, np.zeros((volumes, 4), np.int32))
