"""Run folders in napari: the function that ``napari.yaml`` names, and the layers that it gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from cender.errors import CenderError
from cender.io.exchange.doors import gather_outgoing
from cender.io.exchange.tracks import list_nodes
from cender.types import Recording

Layer = tuple[Any, dict[str, Any], str]
_AXES = ("volume", "z", "y", "x")
_UNITS = ("pixel", "micrometer", "micrometer", "micrometer")
_NUCLEUS_UM = 2.0
"""Diameter in which napari draws a neuron."""


@dataclass(frozen=True, slots=True)
class Movie:
    """One channel as an array ``t z y x`` of which napari reads what it shows."""

    recording: Recording
    channel: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Volumes, frames, rows and columns."""
        t, _, z, y, x = self.recording.shape
        return t, z, y, x

    @property
    def ndim(self) -> int:
        """Four."""
        return 4

    @property
    def dtype(self) -> np.dtype:
        """Type of the pixels."""
        return self.recording.dtype

    def __getitem__(self, index: Any) -> Shaped[np.ndarray, "..."]:
        first, *rest = index if isinstance(index, tuple) else (index,)
        if isinstance(first, slice):
            volumes = [self[(one, *rest)] for one in range(*first.indices(self.shape[0]))]
            return np.stack(volumes) if volumes else np.zeros((0, *self.shape[1:]), self.dtype)
        return np.asarray(self.recording.read(int(first), (self.channel,))[0][tuple(rest)])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Shaped[np.ndarray, "..."]:
        return np.asarray(self[:], dtype)


def find_reader(path: str | Sequence[str]) -> Callable[[Any], list[Layer]] | None:
    """napari's question whether we read a path: run folders only."""
    one = path if isinstance(path, str) else path[0] if len(path) == 1 else ""
    return read_layers if one and (Path(one) / "run.toml").is_file() else None


def read_layers(path: str | Sequence[str]) -> list[Layer]:
    """Images, neurons and tracks of a run folder; images only where the recording is there.

    Points and tracks are in pixels under the same scale as the images, so that a layer that napari saves can be
    imported again.
    """
    folder = Path(path if isinstance(path, str) else path[0])
    out = gather_outgoing(folder, images=True)
    voxel = np.array(out.around.require_voxel(f"{folder}: napari lays points over pixels"))
    shown: dict[str, Any] = {"scale": (1.0, *voxel.tolist()), "axis_labels": _AXES, "units": _UNITS}
    nodes = list_nodes(out)
    names = [out.known.names.get(number, "") for number in nodes.identity.tolist()]
    points = np.column_stack([nodes.volume, nodes.centre_um / voxel])
    features = {"identity": nodes.identity, "probability": nodes.probability, "name": names}
    tracks = np.column_stack([nodes.identity, points])[nodes.identity >= 0]
    order = np.lexsort((tracks[:, 1], tracks[:, 0]))
    size = _NUCLEUS_UM / float(voxel[2])
    layers: list[Layer] = [(points, {"name": "neurons", "features": features, "size": size, **shown}, "points")]
    if len(tracks):
        layers.append((tracks[order], {"name": "identities", **shown}, "tracks"))
    return [*_read_images(out.recording, shown), *layers]


def _read_images(opener: Callable[[], Recording] | None, shown: dict[str, Any]) -> list[Layer]:
    try:
        recording = None if opener is None else opener()
    except CenderError:
        # The folder may have travelled without its recording; what was found in it is shown all the same.
        recording = None
    if recording is None:
        return []
    roles: tuple[str, ...] = recording.roles or tuple(f"channel {number}" for number in range(recording.shape[1]))
    colours = {"red": "red", "green": "green"}
    return [
        (
            Movie(recording, channel),
            {"name": role, "colormap": colours.get(role, "gray"), "blending": "additive", **shown},
            "image",
        )
        for channel, role in enumerate(roles)
    ]
