"""How often a neuron is there where other volumes expect one that was not found.

``python -m cender.bench.gaps RUN TRUTH [RUN TRUTH …]`` fits the judge of gaps to run folders, made with
``recognize.fill_gaps=false``, and the truth of their recordings; each folder is then judged by what the others teach.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit

from cender.evaluate.pairing import pair_volumes
from cender.evaluate.rename import find_renaming
from cender.io import load_run, load_truth
from cender.pipeline.plan.decide import make_plan
from cender.pipeline.plan.progress import ignore_progress
from cender.pipeline.plan.work import settle_work
from cender.pipeline.recording.gaps import LEAST, Seen, describe_gaps, measure_gaps
from cender.pipeline.run import open_results
from cender.training.logistic import fit_logistic
from cender.types import Identities

Gathered = tuple[Float[np.ndarray, "_ f"], Float[np.ndarray, " _"], Bool[np.ndarray, " _"]]
"""What is known of gaps, the probability of their identities, and whether the neuron is there."""
THERE_UM = 2.0
"""Distance from the expected place within which the true neuron must lie."""


def gather_gaps(run: Path, truth: Path) -> Gathered:
    """What is known of every gap of a run, the probability of its identity, and whether the neuron is there."""
    found, true = load_run(run), load_truth(truth)
    known = {volume: Identities(one.identity, one.probability) for volume, one in found.annotations.items()}
    neurons = open_results(run).neurons.partition_by("volume", as_dict=True)
    red = {volume: rows["red"].fill_null(float("nan")).to_numpy() for (volume,), rows in neurons.items()}
    work = settle_work(run, None, None)
    seen = Seen(found.annotations, known, red)
    gaps = measure_gaps(work, make_plan(work).store, seen, ignore_progress)
    pairings = pair_volumes(found, true, sorted(true.annotations))
    number = find_renaming(pairings, (identity for identity, _ in found.ratio))
    features, sure, right = [], [], []
    for volume, gap in gaps.items():
        there = true.annotations[volume]
        wanted = np.array([number.get(identity, -1) for identity in gap.expected.identity.tolist()])
        same = wanted[:, None] == there.identity[None]
        apart_um = np.linalg.norm(gap.expected.centre_um[:, None] - there.centre_um[None], axis=2)
        features.append(describe_gaps(gap))
        sure.append(gap.expected.probability)
        right.append((same & (apart_um < THERE_UM)).any(axis=1))
    return np.concatenate(features), np.concatenate(sure), np.concatenate(right)


def fit_judge(parts: Sequence[Gathered]) -> Float[np.ndarray, " f"]:
    """Weights of what is known of a gap, held lightly to none; every recording counts alike."""
    features, _, right = (np.concatenate(part) for part in zip(*parts, strict=True))
    share = np.concatenate([np.full(len(one[2]), len(right) / len(parts) / len(one[2])) for one in parts])
    count = features.shape[1]
    return fit_logistic(features, right, np.zeros(count), np.ones(count), share).round(2)


def main(words: list[str]) -> None:
    """Print what each folder's gaps come to by the judge of the others, and the judge of all."""
    runs, truths = words[::2], words[1::2]
    parts = [gather_gaps(Path(run), Path(truth)) for run, truth in zip(runs, truths, strict=True)]
    for index, (run, (features, sure, right)) in enumerate(zip(runs, parts, strict=True)):
        judge = fit_judge([one for other, one in enumerate(parts) if other != index] or parts)
        taken = sure * expit(features @ judge) >= LEAST
        print(
            f"{run}: {len(right)} gaps, {right.sum()} with the expected neuron; "
            f"{taken.sum()} filled, {(taken & right).sum()} of them rightly",
            flush=True,
        )
    print(fit_judge(parts).tolist())


if __name__ == "__main__":
    main(sys.argv[1:])
