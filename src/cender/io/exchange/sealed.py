"""HDF5 files of strangers: opened only where all that they say is in the file itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from cender.errors import DataError
from cender.io.recordings.formats.hdf5 import inspect_hdf5


@contextmanager
def open_sealed(path: Path) -> Iterator[Any]:
    """An HDF5 file for reading; refused where a link or a dataset of it leads to another file of this machine."""
    with inspect_hdf5(path) as file:
        _check_sealed(file, path)
        yield file


def _check_sealed(file: Any, path: Path) -> None:
    def leads_outside(name: str, link: Any) -> str | None:
        if isinstance(link, h5py.ExternalLink):
            return name
        item = file.get(name) if isinstance(link, h5py.HardLink) else None
        return name if isinstance(item, h5py.Dataset) and (item.external or item.is_virtual) else None

    # The walk ends at the first name that is returned.
    outside = file.visititems_links(leads_outside)
    if outside is not None:
        raise DataError(f"{path}: {outside} leads to another file, which is not followed; copy it into this one")
