"""A few outcomes and the run folder that they make."""

from pathlib import Path

import numpy as np

from cender.io.results.folder.run_folder import RunFolder, create_run
from cender.io.results.parts.outcomes import save_outcomes
from cender.types import Crop, Head, Identities, Neurons, Outcome, Regions, VoxelSize

VOXEL = VoxelSize(1.5, 0.3, 0.3)
SETTINGS = {"recording": {"source": "worm.tif", "voxel_um": tuple(VOXEL), "rate_hz": 5.0, "axes": None}}


def example_outcomes() -> list[Outcome]:
    """One volume that failed, one that is flagged and one that is ok, in no order."""
    regions = Regions.from_boxes(
        np.array([0, 1, 1]),
        np.array([[1.0, 2, 3, 4], [1, 2, 3, 4], [7, 8, 2, 2]]),
        neuron=np.array([1, 1, -1]),
    )
    neurons = Neurons(
        np.array([[2.0, 5, 6], [0.5, 3, 2]]),
        np.array([2, 0]),
        np.array([2, 1]),
        np.array([0.8, 0.9]),
        regions,
    )
    head = Head(
        Crop(1, 2, 30, 40),
        np.array([[0.0, 0], [0, 5.5], [5, 5]]),
        np.array([1.0, 2]),
        np.array([1.0, 0]),
        np.array([0.0, 1]),
        quality=0.5,
    )
    return [
        Outcome(4, 0.9, "failed", "too dark", milliseconds={"head": 1.0}),
        Outcome(3, 0.7, "flagged", "a twist", head, neurons, {"head": 2.0, "regions": 3.0}),
        Outcome(1, 0.3, "ok", "", head, neurons),
    ]


def make_run(path: Path) -> RunFolder:
    """A run folder with these outcomes; one neuron of volume 1 has an identity."""
    run = create_run(path, SETTINGS)
    save_outcomes(run, example_outcomes(), VOXEL, {1: Identities(np.array([-1, 7]), np.array([0.2, 0.9]))})
    return run
