"""Clouds of neurons as they might also have been: bent, turned, stretched, with neurons missing and added."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

# How far a cloud may differ, in the frame of `recognize.frame`. Largest curvature, and its largest change along x.
BEND = 0.5
# Largest angles (rad).
TURN, ROLL, PITCH = 0.5, 0.2, 0.1
# Largest change of size, of size along each axis, and shear, as shares.
SCALE, STRETCH, SHEAR = 0.07, 0.05, 0.05
# Height of smooth waves, and largest spread of places of single neurons.
WAVE, JITTER = 0.012, 0.02


@dataclass(frozen=True, slots=True)
class Roughness:
    """Largest shares of neurons that are missed and of spurious ones, and how near to others (in the frame) these are.

    The share of each cloud is drawn between nothing and these. ``cut`` is how often an end is missing, of which at
    least ``left`` remains of the cloud; ``slip`` is the largest share of neurons that are found one frame off in z.
    ``blur`` is the largest spread of the noise on brightness and on size, whose own spread is 1.
    """

    drop: float = 0.25
    spurious: float = 0.15
    near: float = 0.06
    cut: float = 0.15
    left: float = 0.75
    slip: float = 0.0
    blur: float = 0.8


USUAL = Roughness()
"""How much training varies a volume unless it is told otherwise."""
DETECTED = Roughness(0.35, 0.4, 0.03, blur=1.2)
"""What a detector on a difficult recording makes of a head."""
POOR = Roughness(0.4, 0.5, 0.035, cut=0.25, left=0.5, slip=0.4, blur=1.6)
"""What it makes of one that it hardly sees: up to half of the head is missing as well, and many are a frame off."""
FRAMES = (0.012, 0.036)
"""Distances of frames (1 to 3 µm) by which neurons are off in z."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """Neurons of one volume in the frame of `recognize.frame`; ``label`` is a class, -1 unknown: teaches nothing.

    The class that follows the identities is "none of them". ``evidence`` holds what the image adds, NaN-free.
    """

    position: Float[np.ndarray, "n 3"]
    evidence: Float[np.ndarray, "n e"]
    label: Int[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.position)


def vary_cloud(cloud: Cloud, none: int, rng: np.random.Generator, roughness: Roughness = USUAL) -> Cloud:
    """The cloud in another posture, from another side, with other neurons missed and mistaken."""
    position = _turn(_wave(_bend(cloud.position, rng), rng), rng)
    position = position + rng.normal(size=position.shape) * rng.uniform(0, JITTER)
    if roughness.slip:
        slipped = rng.random(len(position)) < rng.uniform(0, roughness.slip)
        position[slipped, 0] += rng.uniform(*FRAMES) * rng.choice((-1, 1), int(slipped.sum()))
    kept = rng.random(len(position)) >= rng.uniform(0, roughness.drop)
    if rng.random() < roughness.cut:
        # An end that lies outside the image, or out of focus.
        along = position[:, 2] * rng.choice((-1, 1))
        kept &= along <= np.quantile(along, rng.uniform(roughness.left, 1))
    if not kept.any():
        kept[:] = True
    position, evidence, label = position[kept], cloud.evidence[kept], cloud.label[kept]
    count = rng.binomial(len(position), rng.uniform(0, roughness.spurious))
    if count:
        near = rng.integers(len(position), size=count)
        added = position[near] + rng.normal(size=(count, 3)) * roughness.near
        # A false neuron looks like some other one.
        looks = evidence[rng.integers(len(position), size=count)]
        position, evidence = np.concatenate([position, added]), np.concatenate([evidence, looks])
        label = np.concatenate([label, np.full(count, none)])
    if evidence.shape[1]:
        evidence = _vary_evidence(evidence, roughness.blur, rng)
    return Cloud(position, evidence, label)


def _vary_evidence(
    evidence: Float[np.ndarray, "n e"], blur: float, rng: np.random.Generator
) -> Float[np.ndarray, "n e"]:
    """Evidence with noise, and one time in five none at all, so that it is never relied on alone.

    Each kind has a noise of its own: on some microscopes sizes say little, on others brightness does.
    """
    if rng.random() < 0.2:
        return np.zeros_like(evidence)
    return evidence + rng.normal(size=evidence.shape) * rng.uniform(0, blur, evidence.shape[1])


def _bend(position: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Float[np.ndarray, "n 3"]:
    """Along a centre line whose angle changes with x: curvature k0 + k1·x."""
    k0, k1 = rng.uniform(-BEND, BEND, 2)
    z, y, x = position.T
    grid = np.linspace(x.min() - 0.1, x.max() + 0.1, 64)
    angle = k0 * grid + 0.5 * k1 * grid**2
    step = grid[1] - grid[0]
    line_x = np.cumsum(np.cos(angle)) * step
    line_y = np.cumsum(np.sin(angle)) * step
    middle = int(np.argmin(np.abs(grid)))
    line_x, line_y = line_x - line_x[middle], line_y - line_y[middle]
    at = np.interp(x, grid, angle)
    bent_x = np.interp(x, grid, line_x) - y * np.sin(at)
    bent_y = np.interp(x, grid, line_y) + y * np.cos(at)
    return np.stack([z, bent_y, bent_x], axis=1)


def _wave(position: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Float[np.ndarray, "n 3"]:
    """Displaced by three smooth waves of random direction."""
    moved = position.copy()
    for _ in range(3):
        direction = rng.normal(size=3) * rng.uniform(2, 8) / np.sqrt(3)
        phase = rng.uniform(0, 2 * np.pi)
        moved += np.sin(position @ direction + phase)[:, None] * rng.normal(size=3) * WAVE
    return moved


def _turn(position: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Float[np.ndarray, "n 3"]:
    """Turned in the plane, rolled, pitched, scaled, stretched and sheared."""
    turn, roll, pitch = rng.uniform(-1, 1, 3) * (TURN, ROLL, PITCH)
    scale = (1 + rng.uniform(-SCALE, SCALE)) * (1 + rng.uniform(-STRETCH, STRETCH, 3))
    matrix = np.diag(scale) @ (np.eye(3) + rng.uniform(-SHEAR, SHEAR, (3, 3)) * (1 - np.eye(3)))
    for first, second, angle in ((1, 2, turn), (0, 1, roll), (0, 2, pitch)):
        rotation = np.eye(3)
        rotation[first, first] = rotation[second, second] = np.cos(angle)
        rotation[first, second], rotation[second, first] = -np.sin(angle), np.sin(angle)
        matrix = rotation @ matrix
    return position @ matrix.T
