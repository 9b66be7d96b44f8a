"""The authors' proofread heads behind ``cender import``: labelme files with an outline and five points."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from cender.errors import DataError
from cender.io.exchange.authors import RATE_HZ, VOXEL_UM, load_head, read_stack_name
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings, mark_partial
from cender.types import Annotation, Annotations


def load_heads(path: Path, around: Surroundings) -> Incoming:
    """Heads and axes of one file ``000.json`` or of a folder of them, counted from 0; neurons stay as they are."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files or not all(file.stem.isdigit() for file in files):
        raise DataError(f"{path}: expected heads named 000.json, 001.json …, found {[file.name for file in files[:3]]}")
    empty = Annotation.from_points(0, np.zeros((0, 3)))
    heads = {int(file.stem): replace(empty, volume=int(file.stem), head=load_head(file)) for file in files}
    known = Annotations(str(path), around.voxel_um or VOXEL_UM, around.rate_hz or RATE_HZ, heads)
    return Incoming(mark_partial(known))


HEADS = ExchangeFormat(
    name="authors-heads",
    title="proofread heads of the paper's authors: labelme 000.json, or a folder of them",
    keeps=("heads",),
    recognize=lambda path: read_stack_name(path) is not None and path.suffix == "",
    load=load_heads,
)
