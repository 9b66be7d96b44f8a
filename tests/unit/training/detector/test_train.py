"""Training of the default detector: it learns, it can be reproduced, and an interruption changes nothing."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cender.detect.network import JUDGE
from cender.errors import ConfigError, ModelError
from cender.nets.scoring import KIND, build_score, read_ranges
from cender.training.detector.calibrate import validate
from cender.training.detector.samples import Sample
from cender.training.detector.train import Progress, find_losses, train_detector
from cender.training.params import TrainDetectorParams

STEP_UM = np.array([1.5, 0.3, 0.3])
SHORT = TrainDetectorParams(steps=40, fine_steps=10, width=8, window_px=48, windows=1, check_every=10, threads=1)


def make_head(seed: int) -> Sample:
    """Bright round nuclei of three frames on a noisy ground."""
    rng = np.random.default_rng(seed)
    place = np.array([(y, x) for y in range(14, 90, 18) for x in range(14, 90, 18)], float)
    centre = np.column_stack([rng.integers(2, 6, len(place)), place + rng.uniform(-3, 3, place.shape)])
    frame = (centre[:, :1].astype(int) + np.array([-1, 0, 1])).ravel()
    neuron = np.repeat(np.arange(len(centre)), 3)
    image = 0.05 * rng.random((8, 96, 96))
    ys, xs = np.mgrid[0:96, 0:96]
    for z, y, x in centre:
        for dz in (-1, 0, 1):
            image[int(z) + dz] += np.exp(-((ys - y) ** 2 + (xs - x) ** 2) / 20) / (1 + 0.5 * abs(dz))
    box = np.column_stack([centre[neuron][:, [2, 1]] - 4, np.full((len(neuron), 2), 9.0)])
    return Sample(np.sqrt(image).astype(np.float32), frame, box, neuron, centre, np.zeros((0, 3)), STEP_UM)


@pytest.fixture(scope="module")
def heads() -> list[Sample]:
    return [make_head(seed) for seed in range(5)]


def test_training_learns(heads: list[Sample]) -> None:
    first, last = (train_detector(heads, SHORT.model_copy(update={"steps": n}))[1][-1] for n in (1, 160))
    assert sum(last[1:4]) < 0.75 * sum(first[1:4])


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_deep_network_learns_too(heads: list[Sample], precision: str) -> None:
    deep = SHORT.model_copy(update={"network": "deep", "precision": precision, "learning_rate": 2e-3})
    first, last = (train_detector(heads, deep.model_copy(update={"steps": n})) for n in (1, 100))
    assert sum(last[1][-1][1:4]) < 0.75 * sum(first[1][-1][1:4])
    assert last[0].arrays["enter.weight"].ndim == 5
    # Refined, it stays what it is, and learning goes on where it was.
    refined, history = train_detector(heads, SHORT.model_copy(update={"fine_steps": 2}), start=last[0])
    assert refined.arrays["enter.weight"].shape == last[0].arrays["enter.weight"].shape
    assert sum(history[-1][1:4]) < 0.75 * sum(first[1][-1][1:4])


def test_windows_that_the_deep_network_cannot_halve_are_refused(heads: list[Sample]) -> None:
    with pytest.raises(ConfigError, match="multiple of 16, found 100"):
        train_detector(heads, SHORT.model_copy(update={"network": "deep", "window_px": 100}))


def test_the_same_seed_gives_the_same_weights_and_another_does_not(heads: list[Sample]) -> None:
    short = SHORT.model_copy(update={"steps": 10})
    one, two, other = (train_detector(heads, short, seed)[0].arrays for seed in (4, 4, 5))
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])
    assert any(not np.array_equal(one[name], other[name]) for name in one)


def test_an_interrupted_training_ends_as_if_it_had_not_been(heads: list[Sample], tmp_path: Path) -> None:
    whole, whole_history = train_detector(heads, SHORT)

    def interrupt(progress: Progress) -> None:
        if progress.step == 25:
            raise KeyboardInterrupt

    checkpoint = tmp_path / "detector.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        train_detector(heads, SHORT, checkpoint=checkpoint, on_step=interrupt)
    steps: list[int] = []
    resumed, history = train_detector(heads, SHORT, checkpoint=checkpoint, on_step=lambda p: steps.append(p.step))
    assert steps[0] == 26
    assert history == whole_history
    for name in whole.arrays:
        np.testing.assert_array_equal(resumed.arrays[name], whole.arrays[name])


def test_a_checkpoint_of_another_training_is_refused(heads: list[Sample], tmp_path: Path) -> None:
    short = SHORT.model_copy(update={"steps": 10})
    train_detector(heads, short, checkpoint=tmp_path / "c")
    with pytest.raises(ModelError, match="another training"):
        train_detector(heads, short, seed=9, checkpoint=tmp_path / "c")


def test_fine_tuning_starts_where_the_weights_are(heads: list[Sample]) -> None:
    taught, _ = train_detector(heads, SHORT)
    before = sum(validate(taught.arrays, heads))
    finer, history = train_detector(heads, SHORT, start=taught)
    assert history[-1][0] == SHORT.fine_steps
    assert sum(validate(finer.arrays, heads)) > before - 0.1


def test_weights_say_what_they_are_and_how_large_their_numbers_get(heads: list[Sample]) -> None:
    weights, _ = train_detector(heads, SHORT.model_copy(update={"steps": 10}))
    ranges = read_ranges(weights)
    assert weights.metadata["kind"] == KIND
    assert ranges is not None
    assert set(ranges) == {name.removesuffix(".bias") for name in weights.arrays if name.endswith(".bias")}
    assert build_score(weights, "cpu", "int8")(heads[0].image).packed.shape == (7, 2, 2, 8, 24, 24)


def test_what_a_partial_head_does_not_mark_stays_as_it_was(heads: list[Sample]) -> None:
    head = heads[0]
    window = Sample(
        head.image,
        head.frame[:3],
        head.box[:3],
        head.neuron[:3],
        head.centre[:1],
        np.zeros((0, 3)),
        STEP_UM,
        partial=True,
    )
    before = torch.full((8, 7, 48, 48), -3.0)
    elsewhere = before.clone()
    elsewhere[:, :, 40:] = 1.0
    # Without the network from before, nothing that happens far from the mark counts.
    for one, two in zip(find_losses(before, [window]), find_losses(elsewhere, [window]), strict=True):
        torch.testing.assert_close(one, two)
    same, moved = (sum(find_losses(maps, [window], before)) for maps in (before, elsewhere))
    assert moved > same + 0.1
    torch.testing.assert_close(same, sum(find_losses(before, [window])))


def test_fine_tuning_with_a_rate_that_destroys_returns_what_was_known(heads: list[Sample]) -> None:
    taught, history = train_detector(heads, SHORT.model_copy(update={"steps": 200, "check_every": 100}))
    assert history[-1][4] > 0.3, "there is something to destroy"
    wild = SHORT.model_copy(update={"fine_learning_rate": 10.0})
    found, _ = train_detector([replace(head, partial=True) for head in heads], wild, start=taught)
    for name, value in taught.arrays.items():
        np.testing.assert_allclose(found.arrays[name], value, atol=1e-5)


def test_few_heads_leave_what_scores_mean_and_more_do_not(heads: list[Sample]) -> None:
    start, _ = train_detector(heads, SHORT.model_copy(update={"steps": 80}))
    other = replace(start, metadata={**start.metadata, JUDGE: str([0.5, 2.0] + [0.1] * 12)})
    few, _ = train_detector(heads[:3], SHORT, start=other)
    more, _ = train_detector(heads, SHORT, start=other)
    for what in ("calibration", JUDGE):
        assert json.loads(few.metadata[what]) == json.loads(other.metadata[what])
    assert json.loads(more.metadata["calibration"]) != json.loads(other.metadata["calibration"])
