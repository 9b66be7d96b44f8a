"""How likely what centres gather is a neuron, learnt from volumes whose neurons are all known."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Float, Shaped
from scipy.spatial import cKDTree

from cender.detect.dense import detect_regions
from cender.detect.network import Network
from cender.detect.params import DetectParams
from cender.evaluate.match import match_centres, match_neurons
from cender.merge import DepthBounds, MergeParams, gather_neurons
from cender.merge.assemble import order_regions
from cender.merge.judge import NEURON_WEIGHTS, describe_neurons
from cender.training.detector.judge import hold_slopes
from cender.training.detector.samples import NOWHERE
from cender.training.logistic import fit_logistic
from cender.types import Annotation, Head, VoxelSize

FEWEST = 60
"""With fewer findings nothing is learnt."""
NEAR_UM = 2.5
"""What is found nearer than this to a neuron of another animal in the image is neither right nor wrong."""


@dataclass(frozen=True, slots=True)
class Known:
    """A volume whose neurons are all known; what is found near ``others_um`` is neither right nor wrong."""

    red: Shaped[np.ndarray, "z y x"]
    voxel_um: VoxelSize
    head: Head
    truth: Annotation
    others_um: Float[np.ndarray, "k 3"] = field(default_factory=NOWHERE.copy)


def fit_neuron_judge(
    volumes: Iterable[tuple[Known, Network]],
    detect: DetectParams,
    merge: MergeParams,
    before: Float[np.ndarray, " k"] = NEURON_WEIGHTS,
) -> Float[np.ndarray, " k"]:
    """Weights of the columns of `describe_neurons`, as near to those of ``before`` as the volumes allow."""
    found = [describe_findings(known, network, detect, merge) for known, network in volumes]
    if not found:
        return before
    table, right = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if len(right) < FEWEST or right.all() or not right.any():
        return before
    return fit_logistic(table, right, before, hold_slopes(before))


def describe_findings(
    known: Known, network: Network, detect: DetectParams, merge: MergeParams
) -> tuple[Float[np.ndarray, "n k"], Bool[np.ndarray, " n"]]:
    """What is found in a volume before it is judged, and which of it is right."""
    found = detect_regions(known.red, known.head, known.voxel_um, network, detect)
    ordered = replace(found, regions=found.regions.select(order_regions(found.regions)))
    neurons, whole = gather_neurons(ordered, merge, known.voxel_um)
    count = len(neurons)
    place = neurons.centre_px * np.array(known.voxel_um)
    given = Annotation(
        known.truth.volume, place, np.full(count, -1), np.zeros(count), neurons.regions, voxel_um=known.voxel_um
    )
    # There is a neuron where its boxes or its centre are where they should be: of a faint one often only the latter is.
    matches = (match_neurons, match_centres) if len(known.truth.regions) else (match_centres,)
    right = np.any([match(known.truth, given).partner_of_predicted >= 0 for match in matches], axis=0)
    others = len(known.others_um) and count
    foreign = cKDTree(known.others_um).query(place)[0] < NEAR_UM if others else np.zeros(count, bool)
    depth = DepthBounds(merge.depth_offset_um, merge.depth_slope, merge.depth_spread_um)
    sure = right | ~foreign
    return describe_neurons(neurons, whole, depth, known.voxel_um)[sure], right[sure]
