"""Names in real heads whose neurons the detector found, beside those at centres that people marked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

import numpy as np
from jaxtyping import Float

from cender.bench.names.measure import Row, describe_names, hide_names
from cender.config import Config
from cender.errors import DataError
from cender.evaluate.match import match_centres
from cender.name.atlas import fit_named
from cender.name.model import NamingModel, decide_names, see_animal
from cender.name.sample import sample_colours
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector
from cender.pipeline.volumes.volume import process_volume
from cender.types import Annotation, Cells, Volume, VoxelSize

CHANNELS = ("mn", "c", "b", "volume")
"""Red, green and blue landmark colour and the pan-neuronal channel, as the files call them."""

ALIKE = 0.99
"""Correlation of places along every axis from which on two animals are one."""


@dataclass(frozen=True, slots=True)
class NamedHead:
    """A stack of all its colour channels (NaN where one is missing) and the neurons that people marked."""

    stack: dict[str, np.ndarray]
    voxel_um: VoxelSize
    marked: Cells


def load_named_heads(folder: Path) -> list[NamedHead]:
    """Heads of a data folder, with the colours of the marked neurons where the colour channels are there."""
    heads = []
    for path in sorted(folder.glob("neuropal_head*.npz")):
        with np.load(path) as stored:
            stack = {name: stored[name] for name in CHANNELS if name in stored}
            voxel_um = VoxelSize(*(float(size) for size in stored["voxel_um_zyx"]))
            points, names = stored["points_zyx"].astype(float), tuple(str(name) for name in stored["names"])
        marked = Cells(points * np.array(voxel_um), read_colours(stack, points, voxel_um), names, path.stem)
        heads.append(NamedHead(stack, voxel_um, marked))
    if not heads:
        raise DataError(f"{folder}: expected neuropal_head_*.npz beside the animals, found none")
    return heads


def find_twin(head: NamedHead, animals: Sequence[Cells]) -> Cells | None:
    """The animal of a table that is this head, so that it is not taught: equal names at places that differ in scale."""
    rows = np.argsort(head.marked.name)[-sum(bool(name) for name in head.marked.name) :]
    for one in animals:
        if sorted(one.name) != sorted(head.marked.name):
            continue
        same = np.argsort(one.name)[-len(rows) :]
        alike = np.corrcoef(head.marked.position_um[rows].T, one.position_um[same].T)[range(3), range(3, 6)]
        if (alike > ALIKE).all():
            return one
    return None


def read_colours(
    stack: dict[str, np.ndarray], centre_px: Float[np.ndarray, "n 3"], voxel_um: VoxelSize
) -> Float[np.ndarray, "n c"]:
    """Colours at these centres; no columns where only the pan-neuronal channel was recorded."""
    if len(stack) < 2:
        return np.zeros((len(centre_px), 0))
    colour = np.full((len(centre_px), len(CHANNELS)), np.nan)
    there = [row for row, name in enumerate(CHANNELS) if name in stack]
    colour[:, there] = sample_colours(np.stack([stack[CHANNELS[row]] for row in there]), centre_px, voxel_um)
    return colour


def measure_head(head: NamedHead, model: NamingModel, config: Config, lab: str) -> list[Row]:
    """One row per condition; a marked neuron that was not found counts as wrong. The handedness is given."""
    mirrored = fit_named(head.marked.position_um, head.marked.name, model.atlas).mirrored
    centre_px = _detect(head, config)
    found = Cells(
        centre_px * np.array(head.voxel_um), read_colours(head.stack, centre_px, head.voxel_um), ("",) * len(centre_px)
    )
    pairs = match_centres(*(Annotation.from_points(0, one.position_um) for one in (head.marked, found)))
    rows: list[Row] = []
    for words, cells, partner in (
        ("annotated", replace(head.marked, name=("",) * len(head.marked)), np.arange(len(head.marked))),
        ("detected", found, pairs.partner_of_truth),
    ):
        for looks, bare in hide_names(cells).items():
            if looks == "colour" and not bare.colour.shape[1]:
                continue
            begun = process_time()
            naming = decide_names(bare, see_animal(bare, model, (mirrored,)), model)
            row = describe_names(naming, replace(head.marked, lab=lab), partner)
            row |= {"fold": "heads", "condition": f"{looks}, {words} centres", "seconds": process_time() - begun}
            rows.append({**row, "side_right": True, "neurons": len(bare), "matched": int((partner >= 0).sum())})
    return rows


def _detect(head: NamedHead, config: Config) -> Float[np.ndarray, "n 3"]:
    volume = Volume(0, 0.0, head.stack["volume"][None], head.voxel_um, ("red",))
    outcome = process_volume(volume, load_compass(), build_detector(config.detect), config.preprocess, config.merge)
    if outcome.neurons is None:
        raise DataError(f"{head.marked.animal}: no neurons were found: {outcome.reason}")
    return outcome.neurons.centre_px
