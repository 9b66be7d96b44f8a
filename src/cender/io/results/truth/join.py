"""Points and boxes of one volume, put together into its neurons."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from cender.errors import DataError
from cender.types import Regions, VoxelSize


def join_neurons(
    points: Mapping[str, Any] | None, boxes: Mapping[str, Any] | None, voxel: VoxelSize | None, where: str
) -> tuple[Float[np.ndarray, "m 3"], Int[np.ndarray, " m"], Regions]:
    """Centres, identities and boxes of one volume, with one row per neuron; boxes without a voxel size are refused."""
    if boxes is None:
        if points is None:
            return np.zeros((0, 3)), np.zeros(0, int), Regions.empty()
        return _stack(points, ("z_um", "y_um", "x_um")), points["identity"].copy(), Regions.empty()
    if voxel is None:
        raise DataError(
            f"{where}: expected a voxel size, without which boxes have no place in µm, found none; write "
            "voxel_um = [z, y, x] (in µm) into truth.toml"
        )
    labels, neuron = _number(boxes["neuron"])
    regions = Regions.from_boxes(boxes["z"].copy(), _stack(boxes, ("x", "y", "w", "h")), neuron=neuron)
    claimed = boxes.get("identity", np.full(len(neuron), -1))
    identity = _one_identity(claimed, neuron, labels, where)
    centre = centre_boxes(regions, len(labels), voxel)
    if points is None:
        _refuse_twins(identity, where)
        return centre, identity, regions
    label = _link(points, labels, identity, where)
    merged = np.union1d(labels, label)
    all_centres, all_identities = np.full((len(merged), 3), np.nan), np.full(len(merged), -1)
    here, there = np.searchsorted(merged, labels), np.searchsorted(merged, label)
    all_centres[here], all_identities[here] = centre, identity
    all_centres[there] = _stack(points, ("z_um", "y_um", "x_um"))
    for row, (index, known) in enumerate(zip(there, points["identity"], strict=True)):
        if known >= 0 and all_identities[index] not in (-1, known):
            raise DataError(
                f"{where}, neuron {label[row]}: identity {known} in points "
                f"but {all_identities[index]} in regions; correct one of them"
            )
        all_identities[index] = max(known, all_identities[index])
    _refuse_twins(all_identities, where)
    moved = np.append(here, -1)[neuron]
    return all_centres, all_identities, Regions.from_boxes(regions.z, regions.box_px, neuron=moved)


def centre_boxes(regions: Regions, count: int, voxel: VoxelSize) -> Float[np.ndarray, "m 3"]:
    """Centre of every neuron in µm: the mean of the centres of its boxes, all weighing the same.

    NaN for a neuron without a box.
    """
    owned = regions.neuron >= 0
    total, boxes = np.zeros((count, 3)), np.zeros((count, 1))
    np.add.at(total, regions.neuron[owned], regions.centre_px[owned])
    np.add.at(boxes, regions.neuron[owned], 1)
    mean_px = np.where(boxes > 0, total / np.maximum(boxes, 1), np.nan)
    return np.asarray(mean_px * np.array(voxel))


def _stack(rows: Mapping[str, Any], names: tuple[str, ...]) -> Float[np.ndarray, "n k"]:
    return np.stack([np.asarray(rows[name], float) for name in names], axis=1)


def _number(neuron: Int[np.ndarray, " n"]) -> tuple[Int[np.ndarray, " m"], Int[np.ndarray, " n"]]:
    """The labels that are used, in order, and for every box the position of its label (-1 stays)."""
    labels = np.unique(neuron[neuron >= 0])
    return labels, np.where(neuron >= 0, np.searchsorted(labels, neuron), -1)


def _one_identity(
    claimed: Int[np.ndarray, " n"], neuron: Int[np.ndarray, " n"], labels: Int[np.ndarray, " m"], where: str
) -> Int[np.ndarray, " m"]:
    """The identity of every neuron; boxes without one follow the others of their neuron."""
    identity = np.full(len(labels), -1)
    owned = np.flatnonzero((neuron >= 0) & (claimed >= 0))
    np.maximum.at(identity, neuron[owned], claimed[owned])
    wrong = owned[claimed[owned] != identity[neuron[owned]]]
    if len(wrong):
        box = int(wrong[0])
        raise DataError(
            f"{where}, neuron {labels[neuron[box]]} of regions: a neuron has one identity, "
            f"found {claimed[box]} and {identity[neuron[box]]}"
        )
    return identity


def _link(
    points: Mapping[str, Any],
    labels: Int[np.ndarray, " m"],
    identity: Int[np.ndarray, " m"],
    where: str,
) -> Int[np.ndarray, " p"]:
    """The label of every point: its own, else that of the boxes of its identity, else a new one."""
    known = np.asarray(points["identity"])
    if "neuron" in points:
        own = np.asarray(points["neuron"], float)
        label = np.where(np.isnan(own), -1, own).astype(int)
    else:
        if (known < 0).any() and (identity < 0).any():
            raise DataError(
                f"{where}: points and boxes without identity cannot be put together; "
                "add a column neuron to the points, with the numbers of the regions"
            )
        owner = {int(i): int(n) for i, n in zip(identity, labels, strict=True) if i >= 0}
        label = np.array([owner.get(int(i), -1) for i in known], int)
    new = label < 0
    first = max([-1, *labels.tolist(), *label.tolist()]) + 1
    label[new] = first + np.arange(new.sum())
    return label


def _refuse_twins(identity: Int[np.ndarray, " m"], where: str) -> None:
    values, counts = np.unique(identity[identity >= 0], return_counts=True)
    if (counts > 1).any():
        raise DataError(f"{where}: identity {values[counts > 1][0]} belongs to more than one neuron")
