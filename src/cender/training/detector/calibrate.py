"""After training: how good the network is, what its scores mean, and how large its numbers get."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from scipy.spatial import cKDTree
from scipy.special import logit

from cender.detect.decode import decode_centres, decode_regions
from cender.detect.suppression import suppress_boxes
from cender.evaluate.match import match_boxes, match_centres
from cender.nets.detector import build_net, build_torch_score
from cender.nets.sizes import find_multiple
from cender.training.detector.samples import Sample
from cender.training.logistic import fit_logistic
from cender.types import Annotation, Regions, Weights
from cender.types.maps import CELL

Calibration = list[tuple[float, float]]
"""Slope and shift of the logits of regions and of neuron centres."""
# A slight pull towards scores as they are.
UNCHANGED = np.array([1.0, 0.0])
LEAST_SLOPE = 0.1
"""Smallest slope of a calibration: a higher score never becomes less probable."""
LOWEST = 0.03
"""Score from which on findings are compared with the truth."""
OVERLAP = 0.35
"""Overlap (intersection over union) from which on the lower of two boxes is dropped."""
UNSURE_UM = 2.0
"""What is found nearer than this to a place that nothing is known of is neither right nor wrong."""
HEADROOM = 1.1
"""Largest value of a layer that 256 levels hold, relative to the largest one seen."""
# Channels of the last layer for each map.
CELLS = CELL**2


def validate(arrays: Mapping[str, np.ndarray], held: Sequence[Sample]) -> tuple[float, float]:
    """F1 of regions and of neuron centres on held-out heads, each at its best cut: what scores mean comes later."""
    found = [_compare(arrays, sample, LOWEST) for sample in held]
    return _best_f1([regions for regions, _ in found]), _best_f1([centres for _, centres in found])


def fit_calibration(arrays: Mapping[str, np.ndarray], held: Sequence[Sample]) -> Calibration:
    """How the last logits must be scaled and shifted for scores to be probabilities on held-out heads."""
    found = [_compare(arrays, sample, LOWEST) for sample in held]
    fitted = []
    for kind in (0, 1):
        scores = np.concatenate([pair[kind].score for pair in found])
        right = np.concatenate([pair[kind].right for pair in found])
        table = np.column_stack([logit(scores), np.ones(len(scores))])
        slope, shift = fit_logistic(table, right, UNCHANGED, np.ones(2)).tolist()
        fitted.append((max(slope, LEAST_SLOPE), shift))
    return fitted


def undo_calibration(weights: Weights) -> dict[str, np.ndarray]:
    """Arrays as they were before calibration, which training would otherwise begin by unlearning."""
    back = [(1 / slope, -shift / slope) for slope, shift in read_calibration(weights)]
    return calibrate(weights.arrays, back)


def read_calibration(weights: Weights) -> Calibration:
    """How the scores of these weights were calibrated; weights that do not say it were not."""
    return [(float(slope), float(shift)) for slope, shift in json.loads(weights.metadata.get("calibration", "[]"))]


def calibrate(arrays: Mapping[str, np.ndarray], calibration: Calibration) -> dict[str, np.ndarray]:
    """The same weights with the last logits of both heats scaled and shifted."""
    scaled = {name: np.array(value, np.float32) for name, value in arrays.items()}
    for kind, (slope, shift) in enumerate(calibration):
        mine = slice(CELLS * kind, CELLS * (kind + 1))
        scaled["out.weight"][mine] *= slope
        scaled["out.bias"][mine] = slope * scaled["out.bias"][mine] + shift
    return scaled


def measure_ranges(arrays: Mapping[str, np.ndarray], held: Sequence[Sample]) -> str:
    """Largest input of every convolution on held-out heads, as JSON: what int8 arithmetic needs to know.

    Not a usual one: the few largest numbers are the peaks that are sought, and other heads may have larger ones.
    """
    net, multiple = build_net(arrays), find_multiple(arrays)
    seen: dict[str, list[float]] = {}

    def remember(name: str) -> None:
        def hook(_: torch.nn.Module, inputs: tuple[torch.Tensor, ...], __: torch.Tensor) -> None:
            seen.setdefault(name, []).append(HEADROOM * float(inputs[0].detach().max()))

        net.get_submodule(name).register_forward_hook(hook)

    for name, layer in net.named_modules():
        if isinstance(layer, torch.nn.Conv2d | torch.nn.Conv3d):
            remember(name)
    with torch.inference_mode():
        for sample in held:
            rows, columns = (size // multiple * multiple for size in sample.image.shape[1:])
            net(torch.from_numpy(np.ascontiguousarray(sample.image[:, :rows, :columns])))
    return json.dumps({name: round(float(np.max(values)), 4) for name, values in seen.items()})


@dataclass(frozen=True, slots=True)
class Compared:
    """Scores of what was found, whether each is right, and how many there are in truth."""

    score: Float[np.ndarray, " n"]
    right: Bool[np.ndarray, " n"]
    true: int


def _compare(arrays: Mapping[str, np.ndarray], sample: Sample, cut: float) -> tuple[Compared, Compared]:
    """Regions and neuron centres that the network finds in a head, beside its annotation."""
    maps = build_torch_score(arrays)(sample.image)
    frame, box, score = decode_regions(maps, cut)
    keep = suppress_boxes(frame, box, score, OVERLAP)
    matched = match_boxes(
        Regions.from_boxes(sample.frame, sample.box),
        Regions.from_boxes(frame[keep], box[keep], score=score[keep]),
    )
    _, centre, centre_score = decode_centres(maps, cut)
    size = sample.step_um
    paired = match_centres(Annotation.from_points(0, sample.centre * size), Annotation.from_points(0, centre * size))
    middle = box[keep][:, [1, 0]] + (box[keep][:, [3, 2]] - 1) / 2
    places = np.column_stack([frame[keep], middle]), centre
    found = matched.partner_of_predicted >= 0, paired.partner_of_predicted >= 0
    # What was found at an unsure place is neither right nor wrong.
    known = [right | ~is_unsure(place, sample) for place, right in zip(places, found, strict=True)]
    return (
        Compared(score[keep][known[0]], found[0][known[0]], len(sample.box)),
        Compared(centre_score[known[1]], found[1][known[1]], len(sample.centre)),
    )


def is_unsure(place: Float[np.ndarray, "n 3"], sample: Sample) -> Bool[np.ndarray, " n"]:
    """Whether there may be an unmarked neuron at these places (``z y x`` on the network's grid)."""
    if not len(sample.unsure) or not len(place):
        return np.zeros(len(place), bool)
    distance, _ = cKDTree(sample.unsure * sample.step_um).query(place * sample.step_um)
    return np.asarray(distance < UNSURE_UM)


def _best_f1(parts: Sequence[Compared]) -> float:
    score = np.concatenate([part.score for part in parts])
    order = np.argsort(-score, kind="stable")
    right = np.concatenate([part.right for part in parts])[order]
    f1 = 2 * np.cumsum(right) / (np.arange(1, len(right) + 1) + sum(part.true for part in parts))
    # No cut separates equal scores.
    return float(np.max(f1[np.diff(score[order], append=-1.0) < 0], initial=0.0))
