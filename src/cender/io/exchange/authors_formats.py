"""Files of the paper's authors behind ``cender import``: their MATLAB boxes, result JSON and box arrays."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cender.errors import DataError
from cender.io.exchange.authors import (
    RATE_HZ,
    VOXEL_UM,
    build_volume,
    load_neuron_boxes,
    load_result,
    load_roi_array,
    read_stack_name,
)
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings, mark_partial
from cender.types import Annotation, Annotations


def load_boxes(path: Path, around: Surroundings) -> Incoming:
    """Human boxes of a MATLAB file with ``neuron_boxes``."""
    volumes = [build_volume(volume, boxes, path) for volume, boxes in sorted(load_neuron_boxes(path).items())]
    return gather_volumes(path, volumes, around)


def load_results(path: Path, around: Surroundings) -> Incoming:
    """Results of their program: one JSON file, or a folder of ``001.json``, ``002.json`` … counted from 1."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files or not all(file.stem.isdigit() for file in files):
        raise DataError(f"{path}: expected results named 001.json, 002.json …, found {[f.name for f in files[:3]]}")
    return gather_volumes(path, [build_volume(int(file.stem) - 1, load_result(file), file) for file in files], around)


def load_rois(path: Path, around: Surroundings) -> Incoming:
    """Their box array of volumes × neurons × 6."""
    return gather_volumes(path, load_roi_array(path), around)


def gather_volumes(path: Path, volumes: Sequence[Annotation], around: Surroundings) -> Incoming:
    """The volumes that hold a neuron, with centres in the voxel size of the run folder; annotated in part."""
    voxel = around.voxel_um or VOXEL_UM
    factor = np.array(voxel) / np.array(VOXEL_UM)
    kept = {one.volume: replace(one, centre_um=one.centre_um * factor, voxel_um=voxel) for one in volumes if len(one)}
    if not kept:
        raise DataError(f"{path}: expected boxes, found none in {len(volumes)} volumes")
    return Incoming(mark_partial(Annotations(str(path), voxel, around.rate_hz or RATE_HZ, kept)))


BOXES = ExchangeFormat(
    name="authors-boxes",
    title="MATLAB file of the paper's authors with neuron_boxes",
    keeps=("centres", "boxes", "identities"),
    recognize=lambda path: path.suffix == ".mat" and read_stack_name(path) is not None,
    load=load_boxes,
)
RESULTS = ExchangeFormat(
    name="authors-results",
    title="results of the paper's program: 001.json, or a folder of them",
    keeps=("centres", "boxes", "identities"),
    recognize=lambda path: path.suffix == ".json" and path.stem.isdigit(),
    load=load_results,
)
ROIS = ExchangeFormat(
    name="authors-rois",
    title="box array of the authors' annotator: volumes × neurons × 6, NPY",
    keeps=("centres", "boxes", "identities"),
    recognize=lambda path: path.suffix == ".npy",
    load=load_rois,
)
