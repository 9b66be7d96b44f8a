"""Training of the examiner of candidates on simulated animals: ``python -m cender.training.shipped.examiner FILE``.

It learns what is a neuron among what the shipped networks take for one, in volumes of other animals than theirs, and
is trained anew whenever these change; then the judges are fitted (`cender.training.shipped.judge`).
"""

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float32
from scipy.spatial import cKDTree
from torch.nn import functional

from cender.detect.candidates import describe_candidates, find_candidates
from cender.detect.examine import list_facts
from cender.detect.flips import average_flips
from cender.detect.network import find_grids, read_looks
from cender.detect.normalise import USUAL_UM, cut_strip, is_usual
from cender.detect.still import hold_still
from cender.detect.surroundings import list_flips, sample_surroundings
from cender.evaluate.match import match_centres
from cender.io.weights import save_weights, shipped_weights
from cender.nets.compass_graph import KIND as COMPASS
from cender.nets.compass_graph import build_compass
from cender.nets.examiner import Examiner
from cender.nets.examiner_arrays import KIND
from cender.nets.scoring import KIND as DETECTOR
from cender.nets.scoring import build_score
from cender.preprocess.compass import Compass
from cender.preprocess.head import find_head
from cender.simulate import SimulateParams, simulate_recording
from cender.simulate.rigs import draw_rig
from cender.training.detector.neurons import NEAR_UM
from cender.training.detector.simulated import match_rig, vary_params, vary_shape, vary_spacing
from cender.types import Annotation, VoxelSize, Weights

FIRST_SEED = 6000
"""First seed of the animals that it learns from; all lie below 9000."""
RIGS, EACH, VARIED = 900, 70, 120
"""Random rigs, animals of each preset, and varied animals and usual microscopes with random light."""
ALSO_WIDE = 4
"""One usual volume in so many is looked at by the network of other rigs, which people may choose."""
VOLUMES, FEWEST = (20, 10, 30, 5), 20
"""Volumes that are drawn by turns, and neurons that one must show."""
USUAL_FRAMES = 18
"""Frames of a usual microscope."""
NETWORKS, EPOCHS, BATCH = 2, 20, 512
"""Networks that are averaged, how often each sees every candidate, and candidates per step."""
FASTEST, DECAY = 4e-3, 1e-2
"""Largest learning rate, and decay of the weights."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lesson:
    """Candidates of one volume: facts, surroundings (half precision), and which are neurons."""

    facts: Float32[np.ndarray, "k f"]
    samples: np.ndarray
    right: Bool[np.ndarray, " k"]


def list_animals() -> Iterator[tuple[SimulateParams, int, bool]]:
    """Settings, the volume to look at, and whether the network of other rigs looks at it in any case."""
    for number in range(RIGS):
        yield draw_rig(FIRST_SEED + number), VOLUMES[number % len(VOLUMES)], False
    usual = [
        SimulateParams.model_validate({"preset": preset, "seed": FIRST_SEED + RIGS + number, "volumes": 40})
        for preset in ("typical", "hard", "crowded")
        for number in range(EACH)
    ]
    for seed in range(FIRST_SEED + RIGS + EACH, FIRST_SEED + RIGS + EACH + VARIED):
        rng = np.random.default_rng(seed)
        usual.append(vary_shape(vary_spacing(vary_params(seed, rng), rng), rng))
        voxel_um = VoxelSize(*np.mean(USUAL_UM, axis=0))
        usual.append(match_rig(voxel_um, USUAL_FRAMES, removed=False, seed=seed))
    for number, params in enumerate(usual):
        yield params, VOLUMES[0], number % ALSO_WIDE == ALSO_WIDE - 1


def draw_lesson(animal: tuple[SimulateParams, int, bool]) -> Lesson | None:
    """What the network that is meant for it takes for neurons in a volume; None where that shows too little."""
    torch.set_num_threads(1)
    params, index, wide = animal
    simulation, voxel_um = simulate_recording(params), VoxelSize(*params.voxel_um)
    truth = simulation.annotate(index)
    if len(truth) < FEWEST:
        return None
    red = simulation.recording.volume(index, (0,)).data[0]
    head = find_head(red, voxel_um, _load_compass())
    weights = _load_detector(is_usual(red, head.crop, voxel_um) and not wide)
    score, looks = build_score(weights, "cpu", threads=1), read_looks(weights)
    still = hold_still(red, head.crop, voxel_um)
    image, grid = cut_strip(still.stack, still.move_head(head), voxel_um, find_grids(weights))
    maps = (average_flips(score) if looks > 1 else score)(image)
    step_um = grid.step * np.array(voxel_um)
    found = find_candidates(maps, step_um)
    place_um = still.points_to_full(grid.points_to_full(found.centre)) * np.array(voxel_um)
    true, seen = (Annotation.from_points(0, places) for places in (truth.centre_um, place_um))
    right = match_centres(true, seen).partner_of_predicted >= 0
    others = simulation.others_um(index)
    known = right | (cKDTree(others).query(place_um)[0] >= NEAR_UM) if len(others) and len(right) else right | True
    facts = list_facts(maps, found, describe_candidates(maps, found, step_um), step_um, looks)
    samples = sample_surroundings(maps, image, found.centre, step_um)
    return Lesson(facts[known], samples[known].astype(np.float16), right[known])


@cache
def _load_compass() -> Compass:
    return build_compass(shipped_weights("orientation", COMPASS))


@cache
def _load_detector(fast: bool) -> Weights:
    return shipped_weights("dense" if fast else "dense_rigs", DETECTOR)


def train_examiner(lessons: Sequence[Lesson], epochs: int = EPOCHS, seed: int = 0) -> Examiner:
    """A network that has seen all candidates so many times, turned over in any way."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    facts, samples, right = (
        torch.from_numpy(np.concatenate([getattr(one, name) for one in lessons]))
        for name in ("facts", "samples", "right")
    )
    net, flips = Examiner(facts, samples.float()).train(), torch.from_numpy(list_flips())
    optimiser = torch.optim.AdamW(net.parameters(), FASTEST, weight_decay=DECAY)
    steps = epochs * -(-len(right) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, FASTEST, total_steps=steps)
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.split(torch.randperm(len(right)), BATCH):
            turned = samples[rows].float()[:, flips[int(rng.integers(len(flips)))]]
            loss = functional.binary_cross_entropy_with_logits(net(facts[rows], turned), right[rows].float())
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * len(rows)
        log.info("round %d of %d: loss %.4f", epoch + 1, epochs, total / len(right))
    return net.eval()


def pack_examiner(nets: Sequence[Examiner], note: dict[str, str]) -> Weights:
    """Networks side by side, with a note on how they were made."""
    arrays = {f"{number}.{name}": value for number, net in enumerate(nets) for name, value in net.export().items()}
    return Weights(arrays, {**note, "kind": KIND, "networks": str(len(nets))})


def main(path: Path) -> None:
    """Train the examiner that cender ships."""
    animals = list(list_animals())
    lessons = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, lesson in enumerate(pool.map(draw_lesson, animals, chunksize=4), 1):
            lessons += [] if lesson is None else [lesson]
            if number % 100 == 0:
                log.info(
                    "%d of %d volumes, %d candidates", number, len(animals), sum(len(one.right) for one in lessons)
                )
    nets = [train_examiner(lessons, seed=seed) for seed in range(NETWORKS)]
    note = {
        "made_by": "python -m cender.training.shipped.examiner",
        "animals": f"simulated, seeds from {FIRST_SEED} on",
        "volumes": str(len(lessons)),
        "candidates": str(sum(len(one.right) for one in lessons)),
    }
    save_weights(pack_examiner(nets, note), path)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main(Path(sys.argv[1]))
