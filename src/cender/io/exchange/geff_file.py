"""GEFF: graphs of cells in Zarr, written and read by the library of that name."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.atomic import write_folder
from cender.io.exchange.bounds import check_rows
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings
from cender.io.exchange.points import gather_points
from cender.io.exchange.tracks import list_nodes
from cender.io.recordings.formats.metadata import convert_um
from cender.types import Annotations

_TRACKS = ("identity", "track_id", "tracklet_id", "lineage_id")
"""Properties of nodes that may hold the identity, the first that is there."""


def save_geff(out: Outgoing, path: Path) -> None:
    """Write a graph: one node per neuron and volume, an edge from each identity to where it is seen next."""
    geff, io = _find_library(path), import_module("geff.core_io")
    if path.exists() and (path.is_file() or any(path.iterdir())):
        raise DataError(f"{path} exists already; remove it or give another name")
    nodes = list_nodes(out)
    place = {axis: nodes.centre_um[:, at] for at, axis in enumerate("zyx")}
    values = {"t": nodes.volume, **place, "identity": nodes.identity, "probability": nodes.probability}
    axes = [
        {"name": "t", "type": "time", "unit": "frame", "min": int(nodes.volume.min()), "max": int(nodes.volume.max())}
    ]
    axes += [
        {"name": axis, "type": "space", "unit": "micrometer", "min": float(one.min()), "max": float(one.max())}
        for axis, one in place.items()
    ]
    names = {str(number): name for number, name in out.known.names.items() if name}
    metadata = geff.GeffMetadata(
        directed=True,
        axes=axes,
        node_props_metadata={},
        edge_props_metadata={},
        extra={"cender": {"names": names}},
    )
    with write_folder(path) as part:
        # The library takes any folder that exists for a graph, so it makes its own, which then moves up.
        made = part / "graph"
        io.write_arrays(
            str(made),
            node_ids=np.arange(len(nodes.volume), dtype=np.uint64),
            node_props={name: {"values": column, "missing": None} for name, column in values.items()},
            edge_ids=nodes.edges.astype(np.uint64).reshape(-1, 2),
            edge_props={},
            metadata=metadata,
        )
        for child in made.iterdir():
            child.rename(part / child.name)
        made.rmdir()


def load_geff(path: Path, around: Surroundings) -> Incoming:
    """Nodes as neurons; identities from a property of the nodes, else every connected chain of edges is one."""
    _find_library(path)
    _check_sizes(path)
    graph = import_module("geff.core_io").read_to_memory(str(path))
    metadata, properties = graph["metadata"], graph["node_props"]
    axes = {str(axis.name): axis for axis in metadata.axes or []}
    time = next((name for name, axis in axes.items() if axis.type == "time"), "t")
    space = [name for name in "zyx" if name in properties]
    if time not in properties or len(space) < 3:
        raise DataError(f"{path}: expected nodes with time and z, y, x, found {', '.join(sorted(properties))}")
    columns = [_scale(properties[name]["values"], axes.get(name), around, at) for at, name in enumerate(space)]
    volume = np.asarray(properties[time]["values"])
    if volume.dtype.kind not in "iuf" or (volume != np.floor(volume)).any():
        raise DataError(f"{path}: expected whole numbers of volumes as {time}, found {volume.dtype}")
    identity = _find_identities(graph, properties, path)
    volumes = gather_points(volume.astype(np.int64), np.stack(columns, axis=1), identity, around, path)
    used = {int(number) for number in identity}
    names = {number: name for number, name in _read_names(metadata).items() if number in used}
    others = sorted(set(properties) - {time, *space, *_TRACKS})
    left = (f"properties of nodes: {', '.join(others)}",) if others else ()
    return Incoming(Annotations(str(path), around.voxel_um, around.rate_hz, volumes, names=names), left)


def _find_library(path: Path) -> Any:
    try:
        return import_module("geff")
    except ImportError as error:
        raise DataError(f"{path} is GEFF; install the extra: pip install 'cender[geff]'") from error


def _check_sizes(path: Path) -> None:
    zarr = import_module("zarr")
    root = zarr.open_group(str(path), mode="r")
    for name, item in root.members(max_depth=None):
        if isinstance(item, zarr.Array):
            check_rows(path, name, int(np.prod(item.shape)))


def _scale(values: Any, axis: Any, around: Surroundings, at: int) -> np.ndarray:
    unit = str(getattr(axis, "unit", None) or "")
    if unit.lower() in ("", "pixel", "pixels", "px"):
        return np.asarray(values, float) * around.require_voxel("the graph counts in pixels")[at]
    factor = convert_um(1.0, unit)
    if not np.isfinite(factor):
        raise DataError(f"expected a unit of length or pixels, found {unit!r}")
    return np.asarray(values, float) * factor


def _find_identities(graph: Any, properties: Any, path: Path) -> np.ndarray:
    for name in _TRACKS:
        if name in properties and np.asarray(properties[name]["values"]).dtype.kind in "iu":
            found = np.asarray(properties[name]["values"]).astype(np.int64)
            missing = properties[name]["missing"]
            return np.asarray(found if missing is None else np.where(np.asarray(missing, bool), -1, found))
    sparse, csgraph = import_module("scipy.sparse"), import_module("scipy.sparse.csgraph")
    ids = np.asarray(graph["node_ids"]).astype(np.int64)
    edges = np.asarray(graph["edge_ids"]).astype(np.int64).reshape(-1, 2)
    order = np.argsort(ids)
    rows = order[np.clip(np.searchsorted(ids[order], edges), 0, len(ids) - 1)]
    if (ids[rows] != edges).any():
        raise DataError(f"{path}: an edge names a node that is not there")
    pairs = sparse.coo_array((np.ones(len(rows)), (rows[:, 0], rows[:, 1])), shape=(len(ids), len(ids)))
    _, chain = csgraph.connected_components(pairs, directed=False)
    linked = np.isin(np.arange(len(ids)), rows)
    # Nodes without an edge belong to nothing that goes on.
    _, numbers = np.unique(np.where(linked, chain, chain.max() + 1), return_inverse=True)
    return np.where(linked, numbers, -1).astype(np.int64)


def _read_names(metadata: Any) -> dict[int, str]:
    own = (metadata.extra or {}).get("cender", {})
    names = own.get("names", {}) if isinstance(own, dict) else {}
    return {int(number): str(name) for number, name in names.items() if str(number).isdigit()}


GEFF = ExchangeFormat(
    name="geff",
    title="GEFF: a graph of cells in Zarr",
    keeps=("centres", "identities", "names", "probabilities"),
    recognize=lambda path: path.suffix.lower() == ".geff" or path.name.lower().endswith(".geff.zarr"),
    load=load_geff,
    save=save_geff,
    written_as=(".geff", ".zarr"),
    note="probabilities are written, not taken back; names are in a part of our own",
)
