"""Training of the namer: two networks, each without some of the animals, which then say what its scores are worth."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from cender.errors import DataError
from cender.name.assign import balance_scores
from cender.name.atlas import Atlas, Similarity, build_atlas, swap_side
from cender.name.colours import FEATURES, describe_colours
from cender.name.model import NamingModel, describe_given, give_names
from cender.name.naming import find_pose
from cender.nets.namer import Namer, build_namer, make_name_score
from cender.nets.threads import limit_threads
from cender.training.namer.vary import Palette, Specimen, collect_palette, vary_specimen
from cender.training.params import TrainNamerParams
from cender.types import Cells, Weights

KIND = "namer"
ATLAS_PARTS = ("mean", "covariance", "colour", "colour_spread", "sightings")
SMOOTHING, POSE_WEIGHT, CLIP, WARM_UP = 0.05, 0.2, 1.0, 50
RIDGE = 2.0
START = np.array([0.5, 0.5, 0.0, 0.0])
LEAST_ANIMALS = 4
OnStep = Callable[[int, int, float], None]


@dataclass(frozen=True, slots=True)
class Judged:
    """Held-back animals, named by a network that never saw them."""

    features: np.ndarray
    right: np.ndarray
    fits: list[float]
    margins: list[float]


def train_namer(
    animals: Sequence[Cells], params: TrainNamerParams, seed: int = 0, on_step: OnStep = lambda step, steps, loss: None
) -> Weights:
    """Weights of a namer that learnt from these animals; the same for the same seed and thread count."""
    named = [one for one in animals if sum(bool(name) for name in one.name) >= 10]
    if len(named) < LEAST_ANIMALS:
        raise DataError(
            f"expected at least {LEAST_ANIMALS} animals with ten names or more, found {len(named)} "
            f"among {len(animals)}; an atlas of fewer says nothing about how cells stray"
        )
    with limit_threads(params.threads):
        return _train(named, params, seed, on_step)


def _train(named: Sequence[Cells], params: TrainNamerParams, seed: int, on_step: OnStep) -> Weights:
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    looks = [describe_colours(one.colour) for one in named]
    atlas, ways = build_atlas([one.position_um for one in named], [one.name for one in named], looks)
    specimens = _place(named, looks, ways, atlas)
    order = rng.permutation(len(named))
    share = max(1, len(named) // params.hold_back)
    nets, judged = [], []
    for member in range(params.members):
        held = order[member * share : (member + 1) * share]
        taught = [specimens[row] for row in range(len(named)) if row not in held]
        palette = collect_palette(taught, _pair_names(atlas))
        net = Namer(len(atlas), FEATURES)
        for step, loss in enumerate(_fit(net, taught, palette, params, rng), member * params.steps + 1):
            on_step(step, params.steps * params.members, loss)
        nets.append(net.eval())
        judged.append(_judge([named[row] for row in held], [ways[row] for row in held], net, atlas))
    return _pack(nets, atlas, judged, named, params)


def build_naming_model(weights: Weights) -> NamingModel:
    """The namer that weights describe, ready to use."""
    names = tuple(json.loads(weights.metadata["names"]))
    arrays = weights.arrays
    atlas = Atlas(names, *(arrays[f"atlas.{part}"] for part in ATLAS_PARTS))
    members = sorted({name.split(".")[1] for name in arrays if name.startswith("net.")})
    nets = [
        build_namer({name.removeprefix(start): value for name, value in arrays.items() if name.startswith(start)})
        for start in (f"net.{member}." for member in members)
    ]
    usual, gain = (float(value) for value in arrays["fit"])
    return NamingModel(make_name_score(nets), atlas, arrays["calibration"], usual, gain)


def _place(
    named: Sequence[Cells], looks: Sequence[np.ndarray], ways: Sequence[Similarity], atlas: Atlas
) -> list[Specimen]:
    place = {name: row for row, name in enumerate(atlas.names)}
    return [
        Specimen(way.apply(one.position_um), look, np.array([place.get(name, -1) for name in one.name]))
        for one, look, way in zip(named, looks, ways, strict=True)
    ]


def _pair_names(atlas: Atlas) -> np.ndarray:
    place = {name: row for row, name in enumerate(atlas.names)}
    return np.array([place[swap_side(name, place)] for name in atlas.names])


def _fit(
    net: Namer,
    pool: Sequence[Specimen],
    palette: Palette,
    params: TrainNamerParams,
    rng: np.random.Generator,
) -> Iterator[float]:
    """Teach one network from varied animals; yields the loss of every step."""
    optimiser = torch.optim.AdamW(net.parameters(), lr=params.learning_rate, weight_decay=1e-2)
    net.train()
    for step in range(params.steps):
        pace = min((step + 1) / WARM_UP, 0.5 * (1 + math.cos(math.pi * step / params.steps)) + 5e-3)
        for group in optimiser.param_groups:
            group["lr"] = params.learning_rate * pace
        sights = [vary_specimen(pool[row], palette, rng) for row in rng.integers(len(pool), size=params.batch)]
        position, colour, there, label = _stack(sights)
        score, pose = net(position, colour, there)
        known = label >= 0
        loss = functional.cross_entropy(score[known], label[known], label_smoothing=SMOOTHING)
        upright = torch.tensor([float(right) for _, right in sights])
        loss = loss + POSE_WEIGHT * functional.binary_cross_entropy_with_logits(pose, upright)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        optimiser.step()
        yield float(loss.detach())


def _stack(sights: Sequence[tuple[Specimen, bool]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Animals of different sizes as one stack; names in a wrong pose teach nothing."""
    most = max(len(one) for one, _ in sights)
    position = np.zeros((len(sights), most, 3), np.float32)
    colour = np.zeros((len(sights), most, FEATURES), np.float32)
    there = np.zeros((len(sights), most), bool)
    label = np.full((len(sights), most), -1)
    for row, (one, upright) in enumerate(sights):
        count = len(one)
        position[row, :count], colour[row, :count], there[row, :count] = one.position, one.colour, True
        if upright:
            label[row, :count] = one.label
    if not (label >= 0).any():
        label[0, : len(sights[0][0])] = np.maximum(sights[0][0].label, 0)
    return torch.from_numpy(position), torch.from_numpy(colour), torch.from_numpy(there), torch.from_numpy(label)


def _judge(held: Sequence[Cells], ways: Sequence[Similarity], net: Namer, atlas: Atlas) -> Judged:
    """What the scores of a network are worth on animals that it has not seen, with colours and without."""
    score = make_name_score([net])
    bare = NamingModel(score, atlas, START, -np.inf, 1.0)
    features, right, fits, margins = [], [], [], []
    for one, way in zip(held, ways, strict=True):
        for colour in (one.colour, one.colour[:, :0]):
            looks = describe_colours(colour)
            sight = find_pose(one.position_um, looks, score, atlas, way.mirrored, {})
            other = find_pose(one.position_um, looks, score, atlas, not way.mirrored, {})
            naming = give_names(sight, bare)
            judged = [row for row, name in enumerate(one.name) if name]
            found = describe_given(sight.score, balance_scores(sight.score), naming.given)
            features.append(found[judged])
            right.append([atlas.names[naming.given[row]] == one.name[row] for row in judged])
            fits.append(sight.fit)
            margins.append(sight.fit - other.fit)
    return Judged(np.concatenate(features), np.concatenate(right).astype(float), fits, margins)


def _pack(
    nets: Sequence[Namer], atlas: Atlas, judged: Sequence[Judged], named: Sequence[Cells], params: TrainNamerParams
) -> Weights:
    features = np.concatenate([one.features for one in judged])
    right = np.concatenate([one.right for one in judged])
    fits = np.concatenate([one.fits for one in judged])
    margins = np.concatenate([one.margins for one in judged])
    arrays = {
        f"net.{member}.{name}": value.detach().numpy().astype(np.float16)
        for member, net in enumerate(nets)
        for name, value in net.state_dict().items()
    }
    arrays |= {
        "atlas.mean": atlas.mean,
        "atlas.covariance": atlas.covariance,
        "atlas.colour": atlas.colour,
        "atlas.colour_spread": atlas.colour_spread,
        "atlas.sightings": atlas.sightings,
        "calibration": _fit_logistic(features, right, START),
        "fit": np.array([float(np.quantile(fits, 0.05)) - 0.5, _fit_gain(margins)]),
    }
    labs: dict[str, int] = {}
    for one in named:
        labs[one.lab or "unnamed"] = labs.get(one.lab or "unnamed", 0) + 1
    metadata = {
        "kind": KIND,
        "names": json.dumps(atlas.names),
        "animals": json.dumps(labs, sort_keys=True),
        "settings": params.model_dump_json(),
        "held_back_top1": f"{right.mean():.4f}",
    }
    return Weights(arrays, metadata)


def _fit_logistic(features: np.ndarray, right: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Weights of a logistic map, held to the start by a weak ridge."""
    weights = start.copy()
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (chance - right) + RIDGE * (weights - start)
        curvature = (features * (chance * (1 - chance) + 1e-6)[:, None]).T @ features + RIDGE * np.eye(len(weights))
        weights = weights - np.clip(np.linalg.solve(curvature, gradient), -1, 1)
    return weights


def _fit_gain(margins: np.ndarray) -> float:
    """The gain under which differences of fits are calibrated log-odds of the right handedness."""
    gains = np.geomspace(0.3, 30, 40)
    loss = [float(np.logaddexp(0, -gain * margins).mean()) + 0.002 * math.log(gain) ** 2 for gain in gains]
    return float(gains[int(np.argmin(loss))])
