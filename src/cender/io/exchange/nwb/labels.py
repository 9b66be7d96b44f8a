"""Cell names in NWB: lists beside a segmentation, columns of its tables, or characters one by one."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from cender.io.exchange.bounds import check_rows

_NAMELESS = {"", "nan", "none", "null"}
"""Labels that mean that a neuron has no name."""
_COLUMNS = ("label", "labels", "ID_labels")


def read_list(module: Any) -> list[str]:
    """Names by row or number, as ``NeuronIDs`` has them; empty where a name is missing or there twice."""
    words = _read_words(module.get("NeuronIDs/labels"))
    return [word if words.count(word) == 1 else "" for word in words]


def read_column(plane: Any, rows: int) -> list[str]:
    """Names in a table of neurons; empty ones where it has none."""
    for name in _COLUMNS:
        words = _read_words(plane.get(name))
        ends = plane.get(f"{name}_index")
        if words and isinstance(ends, h5py.Dataset):
            words = _join(plane[name], ends)
        if len(words) == rows:
            return words
    return [""] * rows


def _read_words(dataset: Any) -> list[str]:
    if not isinstance(dataset, h5py.Dataset) or dataset.ndim != 1 or h5py.check_string_dtype(dataset.dtype) is None:
        return []
    check_rows(Path(str(dataset.name)), "labels", int(dataset.size or 0))
    words = [str(word).strip() for word in dataset.asstr(errors="replace")[()]]
    return ["" if word.lower() in _NAMELESS else word for word in words]


def _join(dataset: Any, ends: Any) -> list[str]:
    """Words whose characters stand one by one, with the end of each word beside them."""
    letters = [str(one) for one in dataset.asstr(errors="replace")[()]]
    stops = np.ravel(ends[()]).astype(np.int64).tolist()
    words = ["".join(letters[start:stop]).strip() for start, stop in zip([0, *stops], stops, strict=False)]
    return ["" if word.lower() in _NAMELESS else word for word in words]
