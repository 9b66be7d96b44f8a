"""Arrays of images that lie one after the other in a file."""

from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from jaxtyping import Int, Shaped

from cender.io.recordings.formats.store import Index


def number_planes(lead: tuple[int, ...], index: Index) -> Int[np.ndarray, "..."]:
    """Running numbers of the images that an index over the leading axes picks."""
    return np.asarray(np.arange(prod(lead)).reshape(lead)[index])


def count_whole(shape: tuple[int, ...], planes: int) -> int:
    """How many steps of the first axis are complete when only so many images are there."""
    return min(shape[0], planes // max(1, prod(shape[1:-2])))


def view_bytes(array: Shaped[np.ndarray, "..."]) -> memoryview:
    """The memory of a contiguous array, for reading into it or writing it without a copy."""
    return memoryview(array.reshape(-1).view(np.uint8))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class FlatPlanes:
    """Reader of an uncompressed C-ordered array that begins at ``offset`` of a file.

    The file is opened for each read and never mapped: a mapped file that shrinks kills the process, and its
    pages would count as ours.
    """

    path: Path
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The images at this index over all axes but the last two; parts of each image where it covers these too."""
        lead, inner = index[: len(self.shape) - 2], index[len(self.shape) - 2 :]
        if inner and any(one != slice(None) for one in inner):
            return self._read_parts(lead, inner)
        numbers = number_planes(self.shape[:-2], lead)
        flat = numbers.ravel()
        images = np.empty((flat.size, *self.shape[-2:]), self.dtype)
        plane_bytes = prod(self.shape[-2:]) * self.dtype.itemsize
        starts = np.flatnonzero(np.diff(flat, prepend=-2) != 1)
        with self.path.open("rb", buffering=0) as file:
            for start, stop in zip(starts, [*starts[1:], flat.size], strict=True):
                file.seek(self.offset + int(flat[start]) * plane_bytes)
                _fill(file, view_bytes(images[start:stop]))
        return images.reshape(*numbers.shape, *self.shape[-2:])

    def _read_parts(self, lead: Index, inner: Index) -> Shaped[np.ndarray, "..."]:
        """Parts of many images, one image in memory at a time."""
        numbers = number_planes(self.shape[:-2], lead)
        places = np.stack(np.unravel_index(numbers.ravel(), self.shape[:-2]), axis=-1)
        parts = [self(tuple(int(number) for number in place))[inner] for place in places]
        shape = np.empty(self.shape[-2:], np.bool_)[inner].shape
        return np.array(parts, self.dtype).reshape(*numbers.shape, *shape)


def _fill(file: object, into: memoryview) -> None:
    done = 0
    while done < len(into):
        count = file.readinto(into[done:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError(f"the file ends {len(into) - done:,} bytes too early")
        done += count
