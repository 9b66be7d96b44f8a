"""Training of the paper's detector, without the defects of its published code.

The shipped weights come from ``cender bench baseline --weights FOLDER``.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from pydantic import Field
from torch.nn.functional import binary_cross_entropy_with_logits

from cender.detect.fields import cut_fields, stack_fields
from cender.detect.multi_field import MultiFieldParams, detect_regions_paper
from cender.evaluate import match_boxes
from cender.nets.multi_field import KIND, MultiFieldNet, choose_device, wrap_network
from cender.nets.threads import limit_threads
from cender.training.paper.anchor_scenes import Scene
from cender.training.paper.anchor_targets import Examples, gather_examples, turn_examples
from cender.types import Params, Weights

VALIDATION = range(5000, 5004)

LOG = logging.getLogger(__name__)


class MultiFieldTraining(Params):
    """How the paper's network is trained; times and sizes are ours, the rest is the paper's."""

    width: float = Field(0.125, gt=0, description="factor on the network's channels; 1 is the paper's network")
    epochs: int = Field(7, ge=1, description="epochs in all; 7 are three cycles of 1, 2 and 4")
    samples_per_epoch: int = Field(
        15_000, ge=1, description="anchors drawn for an epoch, of all anchors of all volumes"
    )
    batch: int = Field(64, ge=2, description="anchors of one step")
    rate: float = Field(0.05, gt=0, description="learning rate at the start of a cycle")
    momentum: float = Field(0.9, ge=0, lt=1, description="momentum of the gradient descent")
    longest_step: float = Field(5.0, gt=0, description="gradients longer than this are shortened to it")
    first_cycle: int = Field(1, ge=1, description="epochs of the first cycle; each further one is twice as long")
    box_weight: float = Field(0.4, ge=0, le=1, description="weight of the boxes' error, the rest is the scores'")
    threads: int = Field(0, ge=0, description="CPU threads; 0 is all")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="'auto': a GPU where torch finds one")
    seed: int = Field(0, ge=0, description="of the first weights, the order of anchors and their turns")


@dataclass(frozen=True, slots=True)
class Fitted:
    """A trained network's arrays, its validation F1 (2D) and the loss of every epoch."""

    state: dict[str, np.ndarray]
    f1: float
    losses: tuple[float, ...]


def train_multi_field(
    scenes: Sequence[Scene],
    validation: Sequence[Scene] = (),
    training: MultiFieldTraining | None = None,
    params: MultiFieldParams | None = None,
    report: Callable[[int, float, float], None] | None = None,
) -> Fitted:
    """Weights of the multi-field network after stochastic gradient descent with warm restarts.

    The learning rate falls along half a cosine and starts again; each cycle is twice as long as the one before. At
    the end of a cycle the 2D F1 of the validation scenes is measured and the best network so far is kept.

    Parameters
    ----------
    scenes
        Volumes with all their regions.
    validation
        Volumes that choose between the cycles; without any the last network is taken.
    report
        Called after every epoch with its number, loss and F1 (NaN inside a cycle).
    """
    training, params = training or MultiFieldTraining(), params or MultiFieldParams()
    with limit_threads(training.threads):
        return _fit(scenes, validation, training, params, report)


def _fit(
    scenes: Sequence[Scene],
    validation: Sequence[Scene],
    training: MultiFieldTraining,
    params: MultiFieldParams,
    report: Callable[[int, float, float], None] | None,
) -> Fitted:
    rng = np.random.default_rng(training.seed)
    torch.manual_seed(training.seed)
    LOG.info("%d volumes", len(scenes))
    examples = [gather_examples(scene, params) for scene in scenes]
    LOG.info(
        "%d anchors, %.3f of them on a region", sum(map(len, examples)), np.mean([e.label.mean() for e in examples])
    )
    net = MultiFieldNet(training.width).to(choose_device(training.device))
    optimiser = torch.optim.SGD(net.parameters(), training.rate, training.momentum)
    schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimiser, training.first_cycle, 2)
    best, losses = Fitted(copy_state(net), -1.0, ()), []
    for epoch in range(training.epochs):
        losses.append(_run_epoch(net, optimiser, schedule, epoch, draw_batches(examples, training, rng), training))
        last = epoch + 1 == training.epochs or schedule.T_cur + 1 >= schedule.T_i
        f1 = measure_f1(net, validation, params) if last and validation else float("nan")
        if report is not None:
            report(epoch, losses[-1], f1)
        if last and not f1 < best.f1:
            best = Fitted(copy_state(net), f1, tuple(losses))
    return Fitted(best.state, best.f1, tuple(losses))


def _run_epoch(
    net: MultiFieldNet,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts,
    epoch: int,
    batches: Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]],
    training: MultiFieldTraining,
) -> float:
    """Train on these batches and return the mean loss."""
    net.train()
    device = next(net.parameters()).device
    count = max(training.samples_per_epoch // training.batch, 1)
    total = 0.0
    for number, (fields, label, target) in enumerate(batches):
        schedule.step(epoch + number / count)
        inputs, labels, targets = (torch.from_numpy(part).to(device) for part in (fields, label, target))
        logits, corrections = net(inputs)
        loss = weigh_errors(logits, corrections, labels, targets, training.box_weight)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), training.longest_step)
        optimiser.step()
        total += float(loss.detach())
    return total / count


def weigh_errors(
    logits: Float[torch.Tensor, " n"],
    corrections: Float[torch.Tensor, "n 4"],
    label: Float[torch.Tensor, " n"],
    target: Float[torch.Tensor, "n 4"],
    box_weight: float,
) -> Float[torch.Tensor, ""]:
    """Binary cross-entropy of all scores plus the squared error of the corrections of true regions only."""
    score = binary_cross_entropy_with_logits(logits, label)
    square = ((corrections - target) ** 2).sum(dim=1) * label
    return (1 - box_weight) * score + box_weight * square.sum() / label.sum().clamp(min=1)


def draw_batches(
    examples: Sequence[Examples], training: MultiFieldTraining, rng: np.random.Generator
) -> Iterator[tuple[Float[np.ndarray, "b 5 41 41"], Float[np.ndarray, " b"], Float[np.ndarray, "b 4"]]]:
    """Random batches of one epoch: fields, label (0 or 1) and corrections, flipped and turned at random."""
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


def measure_f1(net: MultiFieldNet, scenes: Sequence[Scene], params: MultiFieldParams) -> float:
    """2D F1 over all regions of these scenes."""
    score = wrap_network(net)
    matched = found = true = 0
    for scene in scenes:
        regions = detect_regions_paper(scene.red, scene.head, scene.voxel_um, score, params).regions
        matched += len(match_boxes(scene.regions, regions))
        found += len(regions)
        true += len(scene.regions)
    return 2 * matched / max(found + true, 1)


def copy_state(net: MultiFieldNet) -> dict[str, np.ndarray]:
    """The network's arrays, the large ones in half precision; running variances may exceed its range."""
    arrays = {name: value.detach().cpu().numpy().copy() for name, value in net.state_dict().items()}
    return {name: value.astype(np.float16) if value.ndim > 1 else value for name, value in arrays.items()}


def pack_detector(
    fitted: Fitted, training: MultiFieldTraining, params: MultiFieldParams, about: Mapping[str, str]
) -> Weights:
    """A trained detector as arrays and text."""
    metadata = {
        "kind": KIND,
        "width": f"{training.width:g}",
        "anchors_px": " ".join(map(str, params.anchors_px)),
        "epochs": str(training.epochs),
        "validation_f1_2d": f"{fitted.f1:.4f}",
        **about,
    }
    return Weights(fitted.state, metadata)
