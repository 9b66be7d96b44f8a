"""Training of the compass on simulated animals: ``python -m cender.training.shipped.orientation --out FILE``."""

import argparse
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from cender.io.weights import save_weights
from cender.nets.compass import Compass
from cender.nets.compass_graph import KIND
from cender.preprocess.compass import SIDE
from cender.training.shipped.orientation_samples import Sample, View, draw_sample, view_scene
from cender.training.shipped.orientation_scenes import draw_scenes
from cender.types import Weights

FIRST_SEED = 1000
"""Seed of the first simulated animal to learn from."""
VOLUMES = 24
"""Volumes of each animal, one scene each."""
BATCH = 32
"""Scenes per step."""
# Largest learning rate; it rises over a twentieth of the steps and falls to zero with a cosine.
FASTEST = 6e-3
log = logging.getLogger(__name__)


def train_orientation(
    views: Sequence[View],
    steps: int,
    seed: int = 0,
) -> Compass:
    """A compass trained on these scenes.

    Parameters
    ----------
    views
        Scenes with their spots found, of as many animals as possible.
    steps
        Batches of 32 samples.
    seed
        Of the initial weights and of the samples drawn.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng((seed, 77))
    network = Compass(SIDE).train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=FASTEST, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, FASTEST, total_steps=steps, pct_start=0.05)
    smoothed = 0.0
    for step in range(steps):
        chosen = rng.integers(len(views), size=BATCH)
        loss = _lose(network, [draw_sample(views[index], rng) for index in chosen])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        smoothed += (float(loss.detach()) - smoothed) / min(step + 1, 100)
        if step % 100 == 99:
            log.info("step %d of %d: loss %.3f", step + 1, steps, smoothed)
    return network.eval()


def _lose(network: Callable[[Tensor], Tensor], samples: Sequence[Sample]) -> Float[Tensor, ""]:
    """Cross-entropy over the hypotheses and "no head" (whose score is 0), and of the bend where there is a head."""
    patches = torch.from_numpy(np.concatenate([sample.patches for sample in samples]))
    target = torch.from_numpy(np.stack([sample.target for sample in samples]))
    bent = torch.tensor([sample.bent for sample in samples])
    out = network(patches).reshape(*target.shape, 2)
    none = 1 - target.sum(1, keepdim=True)
    logits = torch.cat([out[..., 0], torch.zeros(len(samples), 1)], dim=1)
    direction = -(torch.cat([target, none], dim=1) * functional.log_softmax(logits, dim=1)).sum(1).mean()
    weight = functional.softmax(out[..., 0], dim=1).detach()
    bend = functional.binary_cross_entropy_with_logits((weight * out[..., 1]).sum(1), bent, weight=1 - none[:, 0])
    return direction + 0.2 * bend


def save_compass(network: Compass, path: Path, note: dict[str, str]) -> None:
    """Write the weights, with a note on how they were made."""
    save_weights(Weights(network.export(), {**note, "kind": KIND}), path)


def main() -> None:
    """Train the compass that cender ships."""
    parser = argparse.ArgumentParser(prog="python -m cender.training.shipped.orientation", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="safetensors file to write")
    parser.add_argument("--animals", type=int, default=200, help="simulated animals, 24 scenes each")
    parser.add_argument("--steps", type=int, default=2500, help="batches of 32 samples")
    parser.add_argument("--seed", type=int, default=0, help="of the weights and the samples")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    views = []
    for seed in range(FIRST_SEED, FIRST_SEED + given.animals):
        views += [view_scene(scene) for scene in draw_scenes(seed, VOLUMES)]
        if seed % 50 == 49:
            log.info("%d scenes of %d animals", len(views), seed + 1 - FIRST_SEED)
    network = train_orientation(views, given.steps, given.seed)
    note = {
        "made by": "python -m cender.training.shipped.orientation",
        "animals": f"simulated, seeds {FIRST_SEED} to {FIRST_SEED + given.animals - 1}",
        "steps": str(given.steps),
        "seed": str(given.seed),
    }
    save_compass(network, given.out, note)


if __name__ == "__main__":
    main()
