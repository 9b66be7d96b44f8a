"""After training: how good the network is, what its scores mean, and how large its numbers get."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from scipy.spatial import cKDTree

from cender.detect.decode import decode_centres, decode_regions
from cender.detect.suppression import suppress_boxes
from cender.evaluate.match import match_boxes, match_centres
from cender.nets.dense import build_net, build_torch_score
from cender.training.samples import Sample
from cender.types import Annotation, Regions
from cender.types.maps import CELL

CUT = 0.3
LOWEST = 0.03
OVERLAP = 0.35
UNSURE_UM = 2.0
HEADROOM = 1.1
# Channels of the last layer for each map.
CELLS = CELL**2


def validate(arrays: Mapping[str, np.ndarray], held: Sequence[Sample]) -> tuple[float, float]:
    """F1 of regions and of neuron centres on held-out heads, at a fixed cut."""
    found = [_compare(arrays, sample, CUT) for sample in held]
    return _f1([regions for regions, _ in found]), _f1([centres for _, centres in found])


def calibrate(arrays: Mapping[str, np.ndarray], held: Sequence[Sample]) -> dict[str, np.ndarray]:
    """The same weights with scores that are probabilities on held-out heads: the last logits, scaled and shifted."""
    found = [_compare(arrays, sample, LOWEST) for sample in held]
    scaled = {name: np.array(value, np.float32) for name, value in arrays.items()}
    for kind in (0, 1):
        scores = np.concatenate([pair[kind].score for pair in found])
        right = np.concatenate([pair[kind].right for pair in found])
        slope, shift = _fit_logistic(np.log(scores / (1 - scores)), right)
        mine = slice(CELLS * kind, CELLS * (kind + 1))
        scaled["out.weight"][mine] *= slope
        scaled["out.bias"][mine] = slope * scaled["out.bias"][mine] + shift
    return scaled


def measure_ranges(arrays: Mapping[str, np.ndarray], held: Sequence[Sample]) -> str:
    """Largest input of every convolution on held-out heads, as JSON: what int8 arithmetic needs to know.

    Not a usual one: the few largest numbers are the peaks that are sought, and other heads may have larger ones.
    """
    net = build_net(arrays)
    seen: dict[str, list[float]] = {}

    def remember(name: str) -> None:
        def hook(_: torch.nn.Module, inputs: tuple[torch.Tensor, ...], __: torch.Tensor) -> None:
            seen.setdefault(name, []).append(HEADROOM * float(inputs[0].detach().max()))

        net.get_submodule(name).register_forward_hook(hook)

    for name, layer in net.named_modules():
        if isinstance(layer, torch.nn.Conv2d):
            remember(name)
    with torch.inference_mode():
        for sample in held:
            rows, columns = (size // 4 * 4 for size in sample.image.shape[1:])
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
    centre, centre_score = decode_centres(maps, cut)
    size = sample.step_um
    paired = match_centres(Annotation.from_points(0, sample.centre * size), Annotation.from_points(0, centre * size))
    middle = box[keep][:, [1, 0]] + (box[keep][:, [3, 2]] - 1) / 2
    places = np.column_stack([frame[keep], middle]), centre
    found = matched.partner_of_predicted >= 0, paired.partner_of_predicted >= 0
    # What was found at an unsure place is neither right nor wrong.
    known = [right | ~_is_unsure(place, sample) for place, right in zip(places, found, strict=True)]
    return (
        Compared(score[keep][known[0]], found[0][known[0]], len(sample.box)),
        Compared(centre_score[known[1]], found[1][known[1]], len(sample.centre)),
    )


def _is_unsure(place: Float[np.ndarray, "n 3"], sample: Sample) -> Bool[np.ndarray, " n"]:
    """Whether there may be an unmarked neuron at these places (``z y x`` on the network's grid)."""
    if not len(sample.unsure) or not len(place):
        return np.zeros(len(place), bool)
    distance, _ = cKDTree(sample.unsure * sample.step_um).query(place * sample.step_um)
    return np.asarray(distance < UNSURE_UM)


def _f1(parts: Sequence[Compared]) -> float:
    right = sum(int(part.right.sum()) for part in parts)
    said = sum(len(part.right) for part in parts)
    true = sum(part.true for part in parts)
    return 2 * right / max(said + true, 1)


def _fit_logistic(logit: Float[np.ndarray, " n"], right: Bool[np.ndarray, " n"]) -> tuple[float, float]:
    """Slope and shift of a logistic regression, by Newton's method with a slight pull towards no change."""
    theta, prior = np.array([1.0, 0.0]), np.array([1.0, 0.0])
    design = np.column_stack([logit, np.ones(len(logit))])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(design @ theta, -30, 30)))
        slope = design.T @ (right - chance) - (theta - prior)
        curve = design.T @ (design * (chance * (1 - chance))[:, None]) + np.eye(2)
        theta = theta + np.linalg.solve(curve, slope)
    return float(max(theta[0], 0.1)), float(theta[1])
