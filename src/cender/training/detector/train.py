"""Training of the default detector: from scratch or from weights, resumable, the same for the same seed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from cender.detect.candidates import PLAIN_JUDGE
from cender.detect.network import JUDGE, read_judge, read_looks
from cender.errors import ConfigError
from cender.nets.deep import DeepNet
from cender.nets.dense import DenseNet
from cender.nets.detector import DetectorNet, build_net, grow_net
from cender.nets.scoring import KIND
from cender.nets.sizes import find_multiple
from cender.nets.threads import limit_threads
from cender.training.detector.augment import draw_window
from cender.training.detector.calibrate import (
    calibrate,
    fit_calibration,
    measure_ranges,
    read_calibration,
    undo_calibration,
    validate,
)
from cender.training.detector.judge import fit_judge, load_examiner
from cender.training.detector.losses import focal_loss, keep_heat_loss, value_loss
from cender.training.detector.resume import Run, keep_run, resume_run
from cender.training.detector.samples import ENOUGH, Sample, hold_out
from cender.training.detector.targets import draw_targets
from cender.training.params import TrainDetectorParams
from cender.types import Weights

# Steps in which the learning rate rises.
WARM_UP = 60
# Share of the windows that are cut from heads to replay, where there are any.
REPLAY = 0.4
# Share of the averaged weights that stays at each step.
KEEP = 0.998
# Steps after which an interrupted training goes on, whether or not it was validated then.
_KEEP_EVERY = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Where training stands: the step, losses (region, centre, values), and the last validation (2D F1, centre F1)."""

    step: int
    steps: int
    losses: tuple[float, float, float]
    checked: tuple[float, float] | None = None


def train_detector(
    samples: Sequence[Sample],
    params: TrainDetectorParams,
    seed: int = 0,
    start: Weights | None = None,
    checkpoint: Path | None = None,
    on_step: Callable[[Progress], None] = lambda progress: None,
    replay: Sequence[Sample] = (),
) -> tuple[Weights, list[list[float]]]:
    """Weights learnt from annotated heads, and the history of training (step, three losses, two validation figures).

    Parameters
    ----------
    samples
        Heads; a fifth of them, or of each where there are few, is held out for validation.
    params
        Length, rate and widths.
    seed
        Of everything random.
    start
        Weights to start from; None starts from nothing.
    checkpoint
        File to resume from, and to write to at every validation; removed by the caller when done.
    on_step
        Told after every step; a KeyboardInterrupt that it raises ends training with the checkpoint written.
    replay
        Other heads that are learnt from besides, so that a few annotated ones are not learnt by heart.
    """
    with limit_threads(params.threads):
        return _train(samples, params, seed, start, checkpoint, on_step, replay)


def _train(
    samples: Sequence[Sample],
    params: TrainDetectorParams,
    seed: int,
    start: Weights | None,
    checkpoint: Path | None,
    on_step: Callable[[Progress], None],
    replay: Sequence[Sample],
) -> tuple[Weights, list[list[float]]]:
    taught, held = hold_out(samples)
    steps = params.steps if start is None else params.fine_steps
    run = _begin(params, seed, start)
    if checkpoint is not None:
        resume_run(checkpoint, run, _describe(samples, params, seed, steps))
    if run.before is not None and run.step == 0:
        # What is learnt must be better than what was known.
        _check(run, held)
    rate = params.learning_rate if start is None else params.fine_learning_rate
    while run.step < steps and run.waited < params.patience:
        _set_rates(run.optimiser, rate * _share(run.step, steps))
        losses = _learn(run, (taught, replay), params, np.random.default_rng((seed, run.step)))
        run.step += 1
        checked = None
        if run.step % params.check_every == 0 or run.step == steps:
            checked = _check(run, held)
            run.history.append([float(run.step), *losses, *checked])
        if checkpoint is not None and (checked or run.step % _KEEP_EVERY == 0):
            keep_run(checkpoint, run, _describe(samples, params, seed, steps))
        try:
            on_step(Progress(run.step, steps, losses, checked))
        except KeyboardInterrupt:
            if checkpoint is not None:
                keep_run(checkpoint, run, _describe(samples, params, seed, steps))
            raise
    about = {"seed": str(seed), "grid": find_grid(params, start)}
    return _finish(run, samples, held, start, about), run.history


def find_grid(params: TrainDetectorParams, start: Weights | None) -> str:
    """Name of the grids that the network learns on: as set, else those of the weights to start from."""
    return params.grid or ("usual" if start is None else start.metadata.get("grid", "usual"))


def _begin(params: TrainDetectorParams, seed: int, start: Weights | None) -> Run:
    torch.manual_seed(seed)
    known = None if start is None else undo_calibration(start)
    reach = (2, params.reach)
    net: DetectorNet
    if known is not None:
        net = grow_net(known, params.width, reach)
    else:
        net = DeepNet(params.width) if params.network == "deep" else DenseNet(params.width, reach)
    arrays = _arrays(net)
    if params.window_px % (multiple := find_multiple(arrays)):
        raise ConfigError(f"train.window_px of this network is a multiple of {multiple}, found {params.window_px}")
    average = build_net(arrays)
    net = net.to(memory_format=_lay_channels(net)).train()  # type: ignore[call-overload]
    optimiser = torch.optim.AdamW(net.parameters(), lr=params.learning_rate, weight_decay=1e-4)
    return Run(net, average, optimiser, None if known is None else build_net(known))


def _learn(
    run: Run,
    heads: tuple[Sequence[Sample], Sequence[Sample]],
    params: TrainDetectorParams,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """One step on annotated heads and those to replay; the three losses before it."""
    windows = []
    for _ in range(params.windows):
        taught, replay = heads
        chosen = replay if len(replay) and rng.random() < REPLAY else taught
        windows.append(draw_window(chosen[int(rng.integers(len(chosen)))], params.window_px, rng))
    inputs = torch.from_numpy(np.concatenate([window.image for window in windows]))
    lengths = [len(window.image) for window in windows]
    before = None
    if run.before is not None and any(window.partial for window in windows):
        with torch.no_grad():
            before = run.before(inputs, lengths)
    with torch.autocast("cpu", torch.bfloat16, enabled=params.precision == "bfloat16"):
        maps = run.net(inputs, lengths)
    parts = find_losses(maps.float(), windows, before)
    run.optimiser.zero_grad()
    sum(parts).backward()  # type: ignore[union-attr]
    torch.nn.utils.clip_grad_norm_(run.net.parameters(), 5.0)
    run.optimiser.step()
    keep = min(KEEP, (run.step + 1) / (run.step + 20))
    with torch.no_grad():
        for mean, now in zip(run.average.parameters(), run.net.parameters(), strict=True):
            mean.lerp_(now, 1 - keep)
    region, centre, values = (float(part.detach()) for part in parts)
    return region, centre, values


def find_losses(
    maps: Float[Tensor, "z m y x"], windows: Sequence[Sample], before: Float[Tensor, "z m y x"] | None = None
) -> list[Float[Tensor, ""]]:
    """Region, centre and value losses of the network's maps on these windows.

    Parameters
    ----------
    before
        Maps of the network that training started from: what partial windows do not teach shall stay so.
    """
    targets = [draw_targets(window) for window in windows]
    heat = torch.from_numpy(np.concatenate([target.heat for target in targets]))
    known = torch.from_numpy(np.concatenate([target.heat_weight for target in targets]))
    values = torch.from_numpy(np.concatenate([target.values for target in targets]))
    weight = torch.from_numpy(np.concatenate([target.value_weight for target in targets]))
    losses = [
        focal_loss(maps[:, 0], heat[:, 0], known[:, 0]),
        focal_loss(maps[:, 1], heat[:, 1], known[:, 1]),
        value_loss(maps[:, 2:], values, weight),
    ]
    if before is None:
        return losses
    partial = np.concatenate([np.full(len(window.image), window.partial) for window in windows])
    open_ = torch.from_numpy(partial.astype(np.float32))[:, None, None, None] * (1 - known)
    seen = torch.sigmoid(before[:, 0]) * open_[:, 0]
    keep = [keep_heat_loss(maps[:, kind], before[:, kind], open_[:, kind]) for kind in (0, 1)]
    keep.append(value_loss(maps[:, 2:], before[:, 2:], seen))
    return [loss + kept for loss, kept in zip(losses, keep, strict=True)]


def _check(run: Run, held: Sequence[Sample]) -> tuple[float, float]:
    arrays = _arrays(run.average)
    region, centre = validate(arrays, held)
    if region + centre > run.best:
        run.best, run.best_arrays, run.waited = region + centre, arrays, 0
    else:
        run.waited += 1
    return region, centre


def _finish(
    run: Run, samples: Sequence[Sample], held: Sequence[Sample], start: Weights | None, about: dict[str, str]
) -> Weights:
    arrays = run.best_arrays or _arrays(run.average)
    partial, few = any(sample.partial for sample in samples), start is not None and len(samples) < ENOUGH
    before = [] if start is None else read_calibration(start)
    # Where not all is marked, it is not known which scores are right, and of its few lessons any network is too sure:
    # scores then go on meaning what they meant.
    calibration = before if partial or few else fit_calibration(arrays, held)
    calibrated = calibrate(arrays, calibration)
    known = PLAIN_JUDGE if start is None else read_judge(start)
    looks = 1 if start is None else read_looks(start)
    judge = known
    if not few:
        judge = fit_judge(calibrated, held, known, looks, load_examiner())
    elif partial and start is not None:
        # Judged by the network that has not learnt from them.
        judge = fit_judge(start.arrays, samples, known, looks, load_examiner())
    return Weights(
        calibrated,
        {
            "kind": KIND,
            "steps": str(run.step),
            "started_from": "nothing" if start is None else start.metadata.get("name", "other weights"),
            "calibration": json.dumps(calibration),
            "ranges": measure_ranges(arrays, held),
            JUDGE: json.dumps(judge.round(4).tolist()),
            "looks": str(looks),
            **about,
        },
    )


def _share(step: int, steps: int) -> float:
    """Share of the learning rate: a short rise, then half a cosine."""
    return min(1.0, (step + 1) / WARM_UP) * (0.02 + 0.98 * 0.5 * (1 + float(np.cos(np.pi * step / steps))))


def _set_rates(optimiser: torch.optim.Optimizer, rate: float) -> None:
    for group in optimiser.param_groups:
        group["lr"] = rate


def _lay_channels(net: DetectorNet) -> torch.memory_format:
    return torch.channels_last_3d if isinstance(net, DeepNet) else torch.channels_last


def _arrays(net: DetectorNet) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy().copy() for name, value in net.state_dict().items()}


def _describe(samples: Sequence[Sample], params: TrainDetectorParams, seed: int, steps: int) -> str:
    """What must be the same for a checkpoint to be resumed."""
    return f"{params.model_dump_json()} seed {seed} steps {steps} heads {[s.image.shape for s in samples]}"
