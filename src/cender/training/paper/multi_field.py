"""Training of the paper's detector, without the defects of its published code.

The shipped weights come from ``cender bench baseline --weights FOLDER``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from pydantic import Field
from torch.nn.functional import binary_cross_entropy_with_logits

from cender.detect.fields import cut_fields, stack_fields
from cender.detect.multi_field import MultiFieldParams, detect_regions_paper
from cender.evaluate import match_boxes
from cender.nets.multi_field import KIND, MultiFieldNet, build_scorer, choose_device
from cender.nets.threads import limit_threads
from cender.training.paper.anchor_scenes import Scene
from cender.training.paper.anchor_targets import Examples, turn_examples
from cender.types import Params, Weights

VALIDATION = range(5000, 5004)
"""Seeds of the animals that training is judged by."""

State = dict[str, np.ndarray]


class MultiFieldTraining(Params):
    """How the paper's network is trained; times and sizes are ours, the rest is the paper's."""

    width: float = Field(0.0625, gt=0, description="factor on the network's channels; 1 is the paper's network")
    samples_per_epoch: int = Field(
        15_000, ge=1, description="anchors drawn for an epoch, of all anchors of all volumes"
    )
    batch: int = Field(64, ge=2, description="anchors of one step")
    rate: float = Field(0.05, gt=0, description="learning rate at the start of a cycle")
    momentum: float = Field(0.9, ge=0, lt=1, description="momentum of the gradient descent; 0 is the text")
    longest_step: float = Field(5.0, gt=0, description="gradients longer than this are shortened to it")
    first_cycle: int = Field(1, ge=1, description="epochs of the first cycle; each further one is twice as long")
    box_weight: float = Field(0.4, ge=0, le=1, description="weight of the boxes' error, the rest is the scores'")
    threads: int = Field(0, ge=0, description="CPU threads; 0 is all")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="'auto': a GPU where torch finds one")
    seed: int = Field(0, ge=0, description="of the first weights, the order of anchors and their turns")

    def count_epochs(self, cycles: int) -> int:
        """Epochs of the first so many cycles."""
        return self.first_cycle * ((1 << cycles) - 1)


def train_cycle(
    examples: Sequence[Examples], training: MultiFieldTraining, cycle: int, start: State | None = None
) -> tuple[State, float]:
    """The network after one more cycle of stochastic gradient descent with warm restarts, and the mean loss in it.

    The learning rate falls along half a cosine and starts again with the next cycle, which is twice as long. Nothing
    but the network's arrays goes from one cycle to the next: training can be taken up after any of them. Where this
    departs from the text: gradient descent has momentum, with which fewer steps are needed, and long gradients, which
    the first steps have, are shortened.

    Parameters
    ----------
    examples
        Anchors of all volumes.
    cycle
        Its number, from 0.
    start
        The network after the cycle before; None begins with random weights.
    """
    rng = np.random.default_rng([training.seed, cycle])
    with limit_threads(training.threads), torch.random.fork_rng(devices=[]):
        torch.manual_seed(training.seed + 1000 * cycle)
        net = MultiFieldNet(training.width)
        if start is not None:
            net.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in start.items()})
        net.to(choose_device(training.device)).train()
        epochs = training.count_epochs(cycle + 1) - training.count_epochs(cycle)
        steps = epochs * max(training.samples_per_epoch // training.batch, 1)
        optimiser = torch.optim.SGD(net.parameters(), training.rate, training.momentum)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
        total = 0.0
        for _ in range(epochs):
            for batch in draw_batches(examples, training, rng):
                total += _step(net, optimiser, batch, training)
                schedule.step()
        return copy_state(net), total / steps


def _step(
    net: MultiFieldNet,
    optimiser: torch.optim.Optimizer,
    batch: tuple[np.ndarray, np.ndarray, np.ndarray],
    training: MultiFieldTraining,
) -> float:
    device = next(net.parameters()).device
    inputs, labels, targets = (torch.from_numpy(part).to(device) for part in batch)
    logits, corrections = net(inputs)
    loss = weigh_errors(logits, corrections, labels, targets, training.box_weight)
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(net.parameters(), training.longest_step)
    optimiser.step()
    return float(loss.detach())


def weigh_errors(
    logits: Float[torch.Tensor, " n"],
    corrections: Float[torch.Tensor, "n 4"],
    label: Float[torch.Tensor, " n"],
    target: Float[torch.Tensor, "n 4"],
    box_weight: float,
) -> Float[torch.Tensor, ""]:
    """Binary cross-entropy of all scores plus the squared error of the corrections of true regions only.

    An anchor without a region has no correction to learn; the text does not say what it should be.
    """
    score = binary_cross_entropy_with_logits(logits, label)
    square = ((corrections - target) ** 2).sum(dim=1) * label
    return (1 - box_weight) * score + box_weight * square.sum() / label.sum().clamp(min=1)


def draw_batches(
    examples: Sequence[Examples], training: MultiFieldTraining, rng: np.random.Generator
) -> Iterator[tuple[Float[np.ndarray, "b 5 41 41"], Float[np.ndarray, " b"], Float[np.ndarray, "b 4"]]]:
    """Random batches of one epoch: fields, label (0 or 1) and corrections, flipped and turned at random.

    The text does not say whether anchors are turned; the published code does it.
    """
    owner = np.repeat(np.arange(len(examples)), [len(e) for e in examples])
    inside = np.concatenate([np.arange(len(e)) for e in examples])
    count = max(training.samples_per_epoch // training.batch, 1)
    picks = rng.permutation(len(owner))
    picks = np.resize(picks, count * training.batch)
    for rows in picks.reshape(count, training.batch):
        yield _build_batch(examples, owner[rows], inside[rows], rng)


def _build_batch(
    examples: Sequence[Examples],
    owner: Int[np.ndarray, " b"],
    inside: Int[np.ndarray, " b"],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    parts = [examples[i].select(inside[owner == i]) for i in np.unique(owner)]
    cuts = [cut_fields(part.padded, part.peaks) for part in parts]
    near, wide = (np.concatenate(fields) for fields in zip(*cuts, strict=True))
    anchor = np.concatenate([part.anchor_px for part in parts])
    label = np.concatenate([part.label for part in parts])
    box = np.concatenate([part.box for part in parts])
    fields, target = turn_examples(stack_fields(near, wide, anchor), box, anchor, rng)
    return fields, label.astype(np.float32), target.astype(np.float32)


def measure_f1(state: State, width: float, scenes: Sequence[Scene], params: MultiFieldParams) -> float:
    """2D F1 of a trained network over all regions of these scenes."""
    score = build_scorer(state, width)
    matched = found = true = 0
    for scene in scenes:
        regions = detect_regions_paper(scene.red, scene.head, scene.voxel_um, score, params).regions
        matched += len(match_boxes(scene.regions, regions))
        found += len(regions)
        true += len(scene.regions)
    return 2 * matched / max(found + true, 1)


def copy_state(net: MultiFieldNet) -> State:
    """The network's arrays, the large ones in half precision; running variances may exceed its range."""
    arrays = {name: value.detach().cpu().numpy().copy() for name, value in net.state_dict().items()}
    return {name: value.astype(np.float16) if value.ndim > 1 else value for name, value in arrays.items()}


def pack_detector(
    state: State, training: MultiFieldTraining, params: MultiFieldParams, about: Mapping[str, str]
) -> Weights:
    """A trained detector as arrays and text."""
    metadata = {
        "kind": KIND,
        "width": f"{training.width:g}",
        "anchors_px": " ".join(map(str, params.anchors_px)),
        **about,
    }
    return Weights(state, metadata)
