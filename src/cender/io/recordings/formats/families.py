"""Datasets of one file that belong together: one per volume, told apart by a number in their names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import UnreadableRecording
from cender.io.recordings.arrange.axes import format_shape
from cender.io.recordings.formats.numbered import fill_grid, read_numbers

_IMAGES = re.compile(r"frame|image|img|data|vol|stack|raw", re.IGNORECASE)
"""Words in the names of datasets that hold images."""
_FEWEST = 2
"""Datasets whose names differ in a number only that make a family."""


@dataclass(frozen=True, slots=True)
class Family:
    """Names of the datasets of a recording in the order of their numbers, and what these count (T, or T and C)."""

    axes: str
    names: np.ndarray
    warnings: tuple[str, ...] = ()


def find_family(path: Path, datasets: Mapping[str, Any], wanted: str | None) -> Family | None:
    """The datasets that hold one volume each (``0/frame``, ``1/frame`` …), None where there are none such.

    ``wanted`` names one of them, or all with a star (``*/frame``).
    """
    groups: dict[str, list[str]] = {}
    for name, dataset in datasets.items():
        if 2 <= dataset.ndim <= 4 and dataset.dtype.kind in "iuf" and min(dataset.shape) > 0 and re.search(r"\d", name):
            groups.setdefault(_generalise(name), []).append(name)
    groups = {
        star: names for star, names in groups.items() if len(names) >= _FEWEST and _look_like_volumes(datasets, names)
    }
    if wanted is not None:
        groups = {
            star: names for star, names in groups.items() if _generalise(wanted.strip("/")) == star and "*" in wanted
        }
    elif any(dataset.ndim == 5 for dataset in datasets.values()):
        return None
    if len(groups) > 1:
        named = {star: names for star, names in groups.items() if _IMAGES.search(star.split("/")[-1])}
        groups = named if len(named) == 1 else groups
    if not groups:
        return None
    if len(groups) > 1:
        listing = "; ".join(
            f"{star} ({len(names)} of {format_shape(datasets[names[0]].shape)})" for star, names in groups.items()
        )
        raise UnreadableRecording(
            f"{path} has several families of datasets that may be the recording: {listing}; choose one with --set "
            "recording.dataset='NAME' as it stands here, star included"
        )
    return _order(path, next(iter(groups.values())))


def _generalise(name: str) -> str:
    return re.sub(r"\d+|\*", "*", name)


def _look_like_volumes(datasets: Mapping[str, Any], names: list[str]) -> bool:
    """Whether all are as large as a volume; tables of points are not."""
    return all(datasets[name].ndim >= 3 and datasets[name].size >= 1000 for name in names)


def _order(path: Path, names: list[str]) -> Family:
    axes, places = read_numbers([name.replace("/", "_") for name in names])
    if places is None or len(set(places)) < len(names) or "Z" in axes:
        numbers = [re.findall(r"\d+", name) for name in names]
        varying = [i for i in range(len(numbers[0])) if len({one[i] for one in numbers}) > 1]
        if len(varying) != 1:
            raise UnreadableRecording(
                f"{path}: the names {names[0]}, {names[1]} … count {len(varying)} things; expected one number for "
                "time, or names like t0/c0"
            )
        axes, places = "T", [(int(one[varying[0]]),) for one in numbers]
    grid, warnings = fill_grid(str(path), dict(zip(places, names, strict=True)), axes)
    return Family(axes, grid, warnings)
