"""Neurons in NWB: one table per volume, and the cell names in the order of the traces' columns."""

from typing import Any

import numpy as np
from jaxtyping import Float

from cender.io.exchange.format import Outgoing
from cender.io.exchange.nwb.kit import Kit
from cender.types import Annotation

_VOXEL = [("x", np.uint32), ("y", np.uint32), ("z", np.uint32), ("weight", np.float32)]


def add_neurons(kit: Kit, module: Any, out: Outgoing, volume: Any) -> None:
    """Add ``CalciumSeriesSegmentation`` with one table per volume that has neurons, and ``NeuronIDs``."""
    tables = [_tabulate(kit, one, out, volume) for _, one in sorted(out.known.annotations.items()) if len(one)]
    segmentation = kit.pynwb.ophys.ImageSegmentation(name="CalciumSeriesSegmentation", plane_segmentations=tables)
    module.add(segmentation)
    identities = list_identities(out)
    if identities:
        module.add(
            kit.worm.SegmentationLabels(
                name="NeuronIDs",
                labels=[out.known.names.get(number, "") for number in identities],
                description="cell names in the order of the traces' columns; empty where a neuron has none",
                ImageSegmentation=segmentation,
            )
        )


def list_identities(out: Outgoing) -> list[int]:
    """Numbers of the identities in the order of the traces' columns."""
    if out.traces is not None:
        return sorted(out.traces["identity"].unique().to_list())
    return sorted({int(n) for one in out.known.annotations.values() for n in one.identity if n >= 0})


def tabulate_identities(kit: Kit, out: Outgoing, volume: Any) -> Any:
    """One row per identity, at the place where it was first seen."""
    identities = list_identities(out)
    places: dict[int, Any] = {}
    for _, one in sorted(out.known.annotations.items()):
        for row, number in enumerate(one.identity.tolist()):
            places.setdefault(number, one.centre_um[row])
    centre = np.array([places.get(number, np.zeros(3)) for number in identities]).reshape(-1, 3)
    masks = kit.column("voxel_mask", "the voxel where it was first seen", _mark(centre, out))
    names = [out.known.names.get(number, "") for number in identities]
    columns = [
        masks,
        kit.ends(masks, np.arange(1, len(identities) + 1)),
        kit.column("identity", "its number", np.array(identities)),
        kit.column("label", "cell name, empty where there is none", names),
    ]
    return kit.pynwb.ophys.PlaneSegmentation(
        name="Identities",
        description="neurons that were followed through time, in the order of the traces' columns",
        imaging_plane=volume,
        id=list(range(len(identities))),
        columns=columns,
        colnames=["voxel_mask", "identity", "label"],
    )


def _tabulate(kit: Kit, one: Annotation, out: Outgoing, volume: Any) -> Any:
    """The neurons of one volume: a voxel at the centre of each, and in columns of our own all that is known exactly."""
    masks = kit.column("voxel_mask", "the voxel at the centre of the neuron", _mark(one.centre_um, out))
    names = [out.known.names.get(number, "") for number in one.identity.tolist()]
    plain = [
        kit.column(
            "identity", "number that follows the neuron through time; -1 where it was not recognized", one.identity
        ),
        kit.column("probability", "that the identity is right", one.probability),
        kit.column("label", "cell name, empty where there is none", names),
        *(kit.column(f"{axis}_um", f"centre along {axis}", one.centre_um[:, at]) for at, axis in enumerate("zyx")),
    ]
    boxes = _list_boxes(kit, one)
    return kit.pynwb.ophys.PlaneSegmentation(
        name=f"Seg_tpoint_{one.volume}",
        description=f"neurons of volume {one.volume}; the same identity is the same neuron in all volumes",
        imaging_plane=volume,
        id=list(range(len(one))),
        columns=[masks, kit.ends(masks, np.arange(1, len(one) + 1)), *plain, *boxes],
        colnames=["voxel_mask", *(column.name for column in plain), *(column.name for column in boxes[:1])],
    )


def _list_boxes(kit: Kit, one: Annotation) -> list[Any]:
    """The column of boxes by neuron and its index; none where there are no boxes."""
    owned = one.regions.neuron >= 0
    if not owned.any():
        return []
    owners = one.regions.neuron[owned]
    rows = np.column_stack([one.regions.z, one.regions.box_px])[owned].astype(float)
    boxes = rows[np.lexsort((rows[:, 0], owners))]
    column = kit.column("boxes", "z, x, y, w, h of each box in pixels", boxes)
    return [column, kit.ends(column, np.cumsum(np.bincount(owners, minlength=len(one))))]


def _mark(centre_um: Float[np.ndarray, "n 3"], out: Outgoing) -> Any:
    """One voxel (x, y, z, weight) for each centre."""
    mask = np.ones(len(centre_um), _VOXEL)
    whole = np.clip(np.rint(centre_um / np.array(out.around.voxel_um)), 0, None).astype(np.uint32)
    mask["z"], mask["y"], mask["x"] = whole.T
    return mask
