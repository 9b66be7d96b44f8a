"""Teaching the matcher that every recognizer starts from: simulated heads, each seen twice.

``python -m cender.training.shipped.matcher OUT STEPS [START]`` makes the shipped weights, from nothing or from others.
"""

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from cender.io.weights import load_weights, save_weights
from cender.nets.constellation import Matcher, build_matcher
from cender.recognize.evidence import COUNT
from cender.recognize.frame import place_points
from cender.simulate import SimulateParams
from cender.simulate.animal import make_animal
from cender.training.recognizer.clouds import DETECTED, POOR, USUAL, Cloud, vary_cloud
from cender.training.recognizer.fitting import stack_clouds
from cender.types import Weights

KIND = "matcher"
TRAINING_SEED = 7
"""Seed of weights and of what is drawn in training."""
FIRST_SEED = 1000
"""Seed of the first simulated animal to learn from."""
ANIMALS = 150
"""Simulated animals to learn from."""
STEPS = 10000
"""Steps of training."""
PAIRS = 3
"""Pairs of volumes per step."""
LEARNING_RATE = 2e-3
"""Largest learning rate; half of it where training goes on from weights."""
NONE_WEIGHT = 0.3
"""Weight of neurons without a partner, relative to the others."""
SPARSE = 0.3
"""How often few neurons are labelled at all."""
STRANGER = 0.12
"""How often a part of a second animal is in view."""


def train_matcher(
    steps: int = STEPS,
    on_step: Callable[[int, float, float], None] = lambda step, loss, right: None,
    start: Matcher | None = None,
) -> Matcher:
    """A matcher that has seen heads of simulated animals, varied far beyond what animals do.

    It must not learn where the neurons of simulated animals are, only how to compare two sights of any head: so
    every head is deformed, rolled, mirrored and thinned out at random. Sights are as detectors leave them: some with
    few mistakes, some with many, half heads, and a part of another animal beside.
    """
    rng = np.random.default_rng(TRAINING_SEED)
    torch.manual_seed(TRAINING_SEED)
    anatomy = SimulateParams(preset="typical").anatomy
    heads = [
        make_animal(anatomy, np.random.default_rng(number)).adl_um[:, ::-1]
        for number in range(FIRST_SEED, FIRST_SEED + ANIMALS)
    ]
    net = start or Matcher(COUNT)
    rate = LEARNING_RATE if start is None else LEARNING_RATE / 2
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-2)
    net.train()
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = rate * min((step + 1) / 100, 0.5 * (1 + math.cos(math.pi * step / steps)) + 5e-3)
        originals = [draw_head(heads[rng.integers(len(heads))], rng) for _ in range(PAIRS)]
        clouds = [see_head(one, heads[rng.integers(len(heads))], rng) for one in (*originals, *originals)]
        loss, right = measure_matching(net, clouds)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        on_step(step, float(loss.detach()), right)
    return net.eval()


def draw_head(points_um: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Cloud:
    """A head that never was: a simulated one with every neuron moved, perhaps mirrored, rolled, and thinned out."""
    points = points_um + rng.normal(size=points_um.shape) * rng.uniform(0, 4)
    if rng.random() < 0.5:
        points = points * (-1, 1, 1)
    roll = rng.uniform(-np.pi, np.pi) if rng.random() < 0.5 else rng.normal() * 0.3
    cos, sin = np.cos(roll), np.sin(roll)
    points = np.stack(
        [cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1], points[:, 2]], axis=1
    )
    points = points[rng.random(len(points)) >= rng.uniform(0, 0.7 if rng.random() < SPARSE else 0.3)]
    # One time in three nothing but places is known, as in data without images.
    looks = rng.normal(size=(len(points), COUNT)) * (rng.random() < 0.65)
    return Cloud(place_points(points) * rng.uniform(0.85, 1.25), looks, np.arange(len(points)))


def see_head(head: Cloud, stranger_um: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Cloud:
    """One sight of a head, found well or badly; now and then with a part of another animal beside it."""
    cloud = vary_cloud(head, -2, rng, (USUAL, DETECTED, POOR)[rng.integers(3)])
    position, evidence, label = cloud.position, cloud.evidence, cloud.label
    if rng.random() < STRANGER:
        other = place_points(stranger_um) * (1, *rng.choice((-1, 1), 2))
        other = other[other[:, 2] > np.quantile(other[:, 2], rng.uniform(0.4, 0.8))]
        side = rng.choice((-1, 1)) * rng.uniform(0.25, 0.6)
        other = other - np.median(other, axis=0) + (0, side, rng.uniform(-0.5, 0.5))
        looks = evidence[rng.integers(len(evidence), size=len(other))]
        position, evidence = np.concatenate([position, other]), np.concatenate([evidence, looks])
        label = np.concatenate([label, np.full(len(other), -2)])
    # What is missing and what is added moves the middle, as it does in the frame of a real volume.
    return Cloud(position - np.median(position, axis=0), evidence, label)


def measure_matching(net: Matcher, clouds: list[Cloud]) -> tuple[Float[Tensor, ""], float]:
    """Loss of matching the first half of the clouds with the second and back, and the share that is right."""
    half = len(clouds) // 2
    position, evidence, there, label = stack_clouds(clouds)
    described = net.constellation(position, evidence, there)
    losses, hits = [], []
    for here, other in ((slice(0, half), slice(half, None)), (slice(half, None), slice(0, half))):
        score = net(described[here], described[other], there[other])  # b n m+1
        wanted, has = _find_partners(label[here], label[other])
        weight = there[here] * torch.where(has, 1.0, NONE_WEIGHT)
        exact = -score.gather(2, wanted[..., None])[..., 0]
        losses.append((exact * weight).sum() / weight.sum())
        judged = has & there[here]
        hits.append(float((score.argmax(2) == wanted)[judged].float().mean()))
    return (losses[0] + losses[1]) / 2, sum(hits) / 2


def _find_partners(label: Int[Tensor, "b n"], other: Int[Tensor, "b m"]) -> tuple[Tensor, Tensor]:
    """Column of the same neuron on the other side (m: there is none), and whether there is one."""
    same = (label[:, :, None] == other[:, None]) & (label[:, :, None] >= 0)  # b n m
    has = same.any(2)
    return torch.where(has, same.float().argmax(2), torch.full_like(label, other.shape[1])), has


def pack_matcher(net: Matcher, steps: int, before: str = "") -> Weights:
    """Weights of a matcher in half precision, with how they were made."""
    arrays = {name: value.numpy().astype(np.float16) for name, value in net.state_dict().items()}
    how = f"simulated animals {FIRST_SEED}–{FIRST_SEED + ANIMALS - 1} (typical), {steps} steps"
    how = f"{before}; then as detectors see them, {how}" if before else how
    return Weights(arrays, {"kind": KIND, "trained_on": how})


def main() -> None:
    """Train and save the shipped matcher."""
    history: list[tuple[float, float]] = []

    def tell(step: int, loss: float, right: float) -> None:
        history.append((loss, right))
        if step % 100 == 99:
            recent = np.mean(history[-100:], axis=0)
            sys.stderr.write(f"step {step + 1}: loss {recent[0]:.3f}, right {100 * recent[1]:.1f} %\n")

    steps = int(sys.argv[2]) if len(sys.argv) > 2 else STEPS
    started = load_weights(Path(sys.argv[3]), KIND) if len(sys.argv) > 3 else None
    before = "" if started is None else started.metadata["trained_on"]
    net = train_matcher(steps, on_step=tell, start=None if started is None else build_matcher(started.arrays))
    save_weights(pack_matcher(net, steps, before), Path(sys.argv[1]))


if __name__ == "__main__":
    main()
