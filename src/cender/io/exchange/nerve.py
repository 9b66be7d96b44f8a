"""Point files of NeRVE: MATLAB's ``pointStats``, one element per volume, all counted from 1."""

from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.exchange.bounds import check_rows, check_text_size
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings
from cender.io.exchange.points import gather_points
from cender.io.recordings.formats.matlab.values import load_values
from cender.types import Annotations

_FIELDS = ("stackIdx", "rawPoints", "trackIdx")


def load_nerve(path: Path, around: Surroundings) -> Incoming:
    """Places before straightening (``rawPoints``: x, y, z in pixels) with the track of each as its identity."""
    voxel_um = around.require_voxel(f"{path}: points are in pixels")
    check_text_size(path)
    found = load_values(path, lambda name: name.lower().startswith(("pointstats", "pointsstats")))
    stats = next(iter(found.values()), None)
    elements = [one for one in stats.ravel() if isinstance(one, dict)] if isinstance(stats, np.ndarray) else []
    if stats is None or (np.size(stats) and not elements) or not all(set(_FIELDS) <= set(one) for one in elements):
        raise DataError(f"{path}: expected pointStats, a struct with {', '.join(_FIELDS)}")
    volumes, places, tracks = [], [], []
    for element in elements:
        volume, points, track = _read_element(element, path)
        volumes.append(np.full(len(points), volume))
        places.append(points)
        tracks.append(track)
    check_rows(path, "rawPoints", sum(map(len, places)))
    if not places:
        raise DataError(f"{path} says nothing: pointStats is empty")
    centre_um = (np.concatenate(places)[:, ::-1] - 1) * np.array(voxel_um)
    rows = gather_points(np.concatenate(volumes), centre_um, np.concatenate(tracks), around, path)
    left = ("straightened points, weights of tracks and matches",)
    return Incoming(Annotations(str(path), voxel_um, around.rate_hz, rows), left)


def _read_element(element: Any, path: Path) -> tuple[int, np.ndarray, np.ndarray]:
    stack, points, track = (np.asarray(element[name]) for name in _FIELDS)
    points = points.reshape(-1, points.shape[-1]) if points.size else np.zeros((0, 3))
    if stack.size != 1 or points.shape[1] < 3 or points.dtype.kind not in "iuf" or track.dtype.kind not in "iuf":
        raise DataError(f"{path}: expected one stackIdx and points × 3, found {stack.size} and {points.shape}")
    # Points that were added while tracking have a track and no raw place.
    numbers = np.full(len(points), np.nan)
    given = np.ravel(track)[: len(points)]
    numbers[: len(given)] = given
    here = np.isfinite(points[:, :3]).all(axis=1)
    known = np.isfinite(numbers) & (numbers > 0)
    identity = np.where(known, numbers, 0).astype(np.int64) - 1
    return int(stack.ravel()[0]) - 1, points[here, :3].astype(float), identity[here]


NERVE = ExchangeFormat(
    name="nerve",
    title="points of NeRVE: MATLAB's pointStats with rawPoints and trackIdx",
    keeps=("centres", "identities"),
    recognize=lambda path: (
        path.suffix.lower() == ".mat" and path.stem.lower().startswith(("pointstats", "pointsstats"))
    ),
    load=load_nerve,
    note="columns of rawPoints are taken as x, y, z, volumes and tracks as counted from 1",
)
