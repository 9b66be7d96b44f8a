"""A detector ready to use: settings and weights made into one callable."""

from functools import cache
from pathlib import Path

import numpy as np
from jaxtyping import Real

from cender.detect.flips import average_flips
from cender.detect.network import Network, find_grids, read_judge, read_looks, read_neuron_judge
from cender.detect.params import DetectParams
from cender.errors import ModelError
from cender.io.weights import load_weights, shipped_weights
from cender.merge.params import MergeParams
from cender.pipeline.volumes.volume import Detector
from cender.types import Detections, Head, VoxelSize, Weights


def build_detector(params: DetectParams, weights: Weights | None = None, threads: int = 0) -> Detector:
    """The detector that the settings name, with its network loaded.

    Parameters
    ----------
    params
        Which detector, on what device, with which thresholds.
    weights
        Weights to use; by default those that the settings name, or the shipped ones.
    threads
        Of the CPU; 0 is all.
    """
    return _build_paper(params, weights) if params.method == "paper" else _build_dense(params, weights, threads)


def _build_dense(params: DetectParams, weights: Weights | None, threads: int) -> Detector:
    from cender.detect import detect_regions
    from cender.detect.measure import has_large_nuclei
    from cender.detect.normalise import is_usual
    from cender.nets.scoring import KIND

    given = weights or (load_weights(Path(params.weights), KIND) if params.weights else None)

    @cache
    def load(fast: bool) -> Network:
        return load_network(given or shipped_detector(fast), params, threads)

    def detect(red: Real[np.ndarray, "z y x"], head: Head, voxel_um: VoxelSize) -> Detections:
        chosen = given is not None or params.network != "auto"
        fast = params.network != "wide" if chosen else is_usual(red, head.crop, voxel_um)
        found = detect_regions(red, head, voxel_um, load(fast), params)
        # The fast network misses most nuclei that are much larger than usual, but what it finds says that they are.
        if fast and not chosen and has_large_nuclei(found.regions, voxel_um):
            found = detect_regions(red, head, voxel_um, load(False), params)
        return found

    return detect


def load_network(weights: Weights, params: DetectParams, threads: int = 0) -> Network:
    """The network of these weights, with the grids, the looks and the judges that they carry, and the examiner."""
    from cender.nets.examiner_arrays import KIND as EXAMINER
    from cender.nets.examiner_arrays import build_examiner
    from cender.nets.scoring import build_score

    score = build_score(weights, params.device, params.precision, threads)
    score = average_flips(score) if read_looks(weights) > 1 else score
    examine = build_examiner(shipped_weights("examiner", EXAMINER))
    return Network(
        score, find_grids(weights), read_looks(weights), examine, read_judge(weights), read_neuron_judge(weights)
    )


def shipped_detector(fast: bool = True) -> Weights:
    """The default detector's shipped weights: the fast network's for usual rigs, or those of the wide one."""
    from cender.nets.scoring import KIND

    return shipped_weights("dense" if fast else "dense_rigs", KIND)


def _build_paper(params: DetectParams, weights: Weights | None) -> Detector:
    from cender.detect.multi_field import detect_regions_paper
    from cender.nets.multi_field import KIND, build_scorer, choose_device

    chosen = weights or (load_weights(Path(params.weights), KIND) if params.weights else None)
    chosen = chosen or shipped_weights("multi_field", KIND)
    learnt = tuple(int(side) for side in chosen.metadata.get("anchors_px", "9").split())
    if learnt != params.multi_field.anchors_px:
        raise ModelError(
            f"the paper's detector expects weights of anchors {params.multi_field.anchors_px}, found those of "
            f"{learnt}; train them (`cender bench baseline --anchors PX --weights DIR`) and name them in detect.weights"
        )
    score = build_scorer(chosen.arrays, float(chosen.metadata["width"]), device=choose_device(params.device))

    def detect(red: Real[np.ndarray, "z y x"], head: Head, voxel_um: VoxelSize) -> Detections:
        return detect_regions_paper(red, head, voxel_um, score, params.multi_field)

    return detect


def find_least_chance(detect: DetectParams, merge: MergeParams) -> float:
    """Score from which on a neuron stands by itself; 0 where scores are not chances, as with the paper's stages."""
    return merge.least_chance if detect.method == "default" and merge.method == "default" else 0.0
