"""Training of the namer: some animals are left out at first, and say what its scores are worth."""

from collections.abc import Callable, Sequence

import numpy as np
import torch

from cender.errors import DataError
from cender.name.atlas import Atlas, Similarity, build_atlas, pair_sides
from cender.name.colours import FEATURES, describe_colours
from cender.name.unbend import unbend_animal
from cender.nets.namer import Namer
from cender.nets.threads import limit_threads
from cender.training.namer.calibrate import calibrate_namer, judge_animals
from cender.training.namer.fit import fit_namer
from cender.training.namer.pack import pack_namer
from cender.training.namer.vary import Specimen
from cender.training.params import TrainNamerParams
from cender.types import Cells, Weights

LEAST_ANIMALS, LEAST_NAMES = 4, 10
"""Fewest animals to learn from, and names that each must have."""
OnStep = Callable[[int, int, float], None]
LAST, LAST_PACE = 1 / 3, 0.5
"""Share of the steps in which all animals teach, and the learning rate there relative to before."""


def train_namer(
    animals: Sequence[Cells], params: TrainNamerParams, seed: int = 0, on_step: OnStep = lambda step, steps, loss: None
) -> Weights:
    """Weights of a namer that learnt from these animals; the same for the same seed and thread count."""
    named = [one for one in animals if sum(bool(name) for name in one.name) >= LEAST_NAMES]
    if len(named) < LEAST_ANIMALS:
        raise DataError(
            f"expected at least {LEAST_ANIMALS} animals with {LEAST_NAMES} names or more, found {len(named)} "
            f"among {len(animals)}; an atlas of fewer says nothing about how cells stray"
        )
    with limit_threads(params.threads):
        return _train(named, params, seed, on_step)


def _train(named: Sequence[Cells], params: TrainNamerParams, seed: int, on_step: OnStep) -> Weights:
    looks = [describe_colours(one.colour) for one in named]
    atlas, ways = build_atlas([one.position_um for one in named], [one.name for one in named], looks)
    specimens = _place(named, looks, ways, atlas)
    order = np.random.default_rng(seed).permutation(len(named)).tolist()
    share = max(1, len(named) // params.hold_back)
    held, taught = order[:share], order[share:]
    partner = pair_sides(atlas.names)
    last = int(LAST * params.steps)
    first_steps = params.model_copy(update={"steps": params.steps - last})
    last_steps = params.model_copy(update={"steps": last, "learning_rate": LAST_PACE * params.learning_rate})
    done = 0

    def fit(net: Namer, pool: Sequence[Specimen], part: TrainNamerParams, rng: np.random.Generator) -> None:
        nonlocal done
        for loss in fit_namer(net, pool, partner, part, rng):
            done += 1
            on_step(done, params.networks * params.steps, loss)
        net.eval()

    nets, rngs = [], [np.random.default_rng((seed, number)) for number in range(params.networks)]
    for number, rng in enumerate(rngs):
        torch.manual_seed(seed + number)
        nets.append(Namer(len(atlas), FEATURES))
        fit(nets[-1], [specimens[row] for row in taught], first_steps, rng)
    judged = judge_animals([named[row] for row in held], [ways[row] for row in held], nets, atlas)
    # Having said what their names are worth, the animals that were held back teach as well.
    for net, rng in zip(nets, rngs, strict=True):
        fit(net, specimens, last_steps, rng)
    return pack_namer(nets, atlas, calibrate_namer(judged), named, params)


def _place(
    named: Sequence[Cells], looks: Sequence[np.ndarray], ways: Sequence[Similarity], atlas: Atlas
) -> list[Specimen]:
    place = {name: row for row, name in enumerate(atlas.names)}
    specimens = []
    for one, look, way in zip(named, looks, ways, strict=True):
        position = way.apply(one.position_um)
        label = np.array([place.get(name, -1) for name in one.name])
        rows = np.flatnonzero(label >= 0)
        unbent = unbend_animal(position, rows, atlas.mean[label[rows]], np.ones(len(rows)))
        specimens.append(Specimen(position, unbent, look, label))
    return specimens
