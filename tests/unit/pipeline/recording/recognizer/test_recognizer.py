"""A recognizer from nothing, one or a few annotated volumes: learnt, kept, applied; and what it refuses."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cases.constellations import brief, film_head, make_head, measure_accuracy, see_head
from cender.errors import DataError, ModelError
from cender.io import save_weights
from cender.nets.constellation import Classifier
from cender.pipeline.recording.recognizer.identify import build_recognizer, identify_recording, learn_recognizer
from cender.pipeline.recording.recognizer.learn import train_weights
from cender.pipeline.recording.recognizer.weights import find_taught, load_recognizer
from cender.training.recognizer import train
from cender.types import Annotation, Identities, Weights

HEAD = make_head(45)
FILM = film_head(HEAD, 11)
NAMELESS = [Annotation.from_points(one.volume, one.centre_um) for one in FILM]
CONFIG = brief()


@pytest.fixture(scope="module")
def weights() -> Weights:
    """Learnt from one volume."""
    return train_weights(FILM[:1], NAMELESS[1:], CONFIG)


def test_one_volume_is_enough(weights: Weights) -> None:
    answers = build_recognizer(weights, CONFIG)(NAMELESS[1:])
    assert measure_accuracy(answers, FILM[1:]) < 1, "identities of the first volume only"
    known = set(FILM[0].identity.tolist()) - {-1}
    knowable = [replace(one, identity=np.where(np.isin(one.identity, list(known)), one.identity, -1)) for one in FILM]
    assert measure_accuracy(answers, knowable[1:]) > 0.9
    for answer in answers:
        given = answer.identity[answer.identity >= 0]
        assert len(given) == len(set(given.tolist())), "an identity was given twice"
        assert ((answer.probability >= 0) & (answer.probability <= 1)).all()


def test_what_is_known_of_the_volume_is_not_looked_at(weights: Weights) -> None:
    recognize = build_recognizer(weights, CONFIG)
    lied_to = replace(FILM[3], identity=FILM[3].identity[::-1].copy())
    assert (recognize([lied_to])[0].identity == recognize([NAMELESS[3]])[0].identity).all()


def test_the_order_of_the_neurons_does_not_matter(weights: Weights) -> None:
    order = np.random.default_rng(0).permutation(len(FILM[4]))
    mixed = Annotation.from_points(4, FILM[4].centre_um[order])
    first, second = build_recognizer(weights, CONFIG)([NAMELESS[4], mixed])
    assert (first.identity[order] == second.identity).all()


def test_a_head_seen_from_the_other_end_is_recognized(weights: Weights) -> None:
    about = FILM[5].centre_um.mean(axis=0)
    turned = replace(NAMELESS[5], centre_um=about + (FILM[5].centre_um - about) * (1, -1, -1))
    first, second = build_recognizer(weights, CONFIG)([NAMELESS[5], turned])
    assert (first.identity == second.identity).mean() > 0.9


def test_from_nothing_every_neuron_gets_a_number_that_stays() -> None:
    found = identify_recording(NAMELESS, {}, CONFIG)
    pairs = [
        (int(truth), int(number))
        for one in FILM
        for truth, number in zip(one.identity, found[one.volume].identity, strict=True)
        if truth >= 0 and number >= 0
    ]
    votes = {truth: [number for other, number in pairs if other == truth] for truth, _ in pairs}
    steady = sum(max(numbers.count(number) for number in set(numbers)) for numbers in votes.values())
    assert steady > 0.85 * sum(int((one.identity >= 0).sum()) for one in FILM)


def measure_steadiness(found: dict[int, Identities], film: list[Annotation]) -> float:
    """Share of the true neurons that have the number that is most often theirs."""
    votes: dict[int, list[int]] = {}
    for one in film:
        for truth, number in zip(one.identity.tolist(), found[one.volume].identity.tolist(), strict=True):
            if truth >= 0:
                votes.setdefault(truth, []).append(number)
    steady = [max(numbers.count(number) for number in set(numbers) | {0} if number >= 0) for numbers in votes.values()]
    return sum(steady) / sum(len(numbers) for numbers in votes.values())


def test_two_corrections_in_one_volume_leave_the_other_identities_where_they_are() -> None:
    sure = np.isin(FILM[4].identity, FILM[4].identity[FILM[4].identity >= 0][:2])
    hint = replace(FILM[4], identity=np.where(sure, FILM[4].identity + 700, -1), complete=False)
    found = identify_recording(NAMELESS, {4: hint}, CONFIG)
    assert measure_steadiness(found, FILM) > 0.85
    for number in FILM[4].identity[sure]:
        given = [number + 700 in found[one.volume].identity[one.identity == number] for one in FILM]
        assert sum(given) > 0.7 * sum(int(number in one.identity) for one in FILM), "what people said is followed"


def test_rough_points_keep_their_identities_with_and_without_annotation() -> None:
    film = film_head(HEAD, 10, noise_um=0.5)
    rough = [see_head(HEAD, one.volume, dropped=0.2, spurious=14, noise_um=0.5) for one in film]
    found = identify_recording([Annotation.from_points(one.volume, one.centre_um) for one in rough], {}, CONFIG)
    assert measure_steadiness(found, rough) > 0.6
    answers = learn_recognizer(
        rough[:2], [Annotation.from_points(one.volume, one.centre_um) for one in rough[2:]], CONFIG
    )(rough[2:])
    assert measure_accuracy(answers, rough[2:]) > 0.7


def test_a_step_of_learning_that_made_it_worse_is_undone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def forget(net: Classifier, *_: object, **__: object) -> None:
        # As if nothing but "none of them" had been learnt.
        with torch.no_grad():
            net.head.bias[-1] += 50

    few = NAMELESS[:6]
    before = identify_recording(few, {}, brief(self_steps=0))
    monkeypatch.setattr(train, "fit_classifier", forget)
    after = identify_recording(few, {}, CONFIG)
    assert "was undone" in caplog.text
    assert measure_steadiness(after, FILM[:6]) > 0.8 * measure_steadiness(before, FILM[:6]) > 0.5


def test_a_recognizer_comes_back_from_its_file(weights: Weights, tmp_path: Path) -> None:
    save_weights(weights, tmp_path / "recognizer.safetensors")
    stored = build_recognizer(load_recognizer(tmp_path / "recognizer.safetensors"), CONFIG)
    first, second = build_recognizer(weights, CONFIG)(NAMELESS[6:7])[0], stored(NAMELESS[6:7])[0]
    assert (first.identity == second.identity).all()
    np.testing.assert_allclose(first.probability, second.probability, atol=1e-4)


def test_numbers_that_people_gave_are_known_as_such(weights: Weights, tmp_path: Path) -> None:
    path = tmp_path / "recognizer.safetensors"
    assert find_taught(CONFIG) == frozenset()
    save_weights(weights, path)
    config = CONFIG.model_copy(update={"recognize": CONFIG.recognize.model_copy(update={"weights": str(path)})})
    assert find_taught(config) == set(FILM[0].identity.tolist()) - {-1}
    used = identify_recording(NAMELESS[:2], {}, config)
    assert set(used) == {0, 1}


def test_incomplete_weights_are_refused(weights: Weights) -> None:
    arrays = {name: value for name, value in weights.arrays.items() if name != "identities"}
    with pytest.raises(ModelError, match="not complete"):
        build_recognizer(Weights(arrays, weights.metadata), CONFIG)


def test_no_neuron_and_one_neuron(weights: Weights) -> None:
    none = Annotation.from_points(90, np.zeros((0, 3)))
    one = Annotation.from_points(91, np.array([[20.0, 60.0, 80.0]]))
    empty, single = build_recognizer(weights, CONFIG)([none, one])
    assert len(empty) == 0
    assert single.probability[0] < 0.9


def test_a_thousand_false_points_are_not_named_confidently(weights: Weights) -> None:
    crowd = see_head(HEAD, 95, spurious=1000)
    recognize = build_recognizer(weights, CONFIG)
    usual, lost = (float(recognize([one])[0].probability.max()) for one in (NAMELESS[7], crowd))
    answer = recognize([crowd])[0]
    wrong = (answer.identity >= 0) & (answer.identity != crowd.identity) & (answer.probability > 0.8)
    assert lost <= usual
    assert wrong.sum() <= 3


def test_random_points_are_not_named_confidently(weights: Weights) -> None:
    noise = Annotation.from_points(96, np.random.default_rng(5).uniform(-1, 1, (45, 3)) * (9, 14, 40))
    assert build_recognizer(weights, CONFIG)([noise])[0].probability.mean() < 0.4


@pytest.mark.parametrize("signs", [(-1, -1, 1), (-1, 1, 1), (1, -1, 1)], ids=["other side", "mirror z", "mirror y"])
def test_a_head_that_lies_otherwise_gets_no_sure_wrong_names(weights: Weights, signs: tuple[int, int, int]) -> None:
    recognize = build_recognizer(weights, CONFIG)
    turned = [replace(one, centre_um=one.centre_um * signs) for one in FILM[1:9]]
    for answer, truth in zip(recognize(turned), turned, strict=True):
        wrong = (answer.identity >= 0) & (answer.identity != truth.identity)
        assert not (answer.probability[wrong] > 0.8).any()


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_wrong_units_of_z_give_no_sure_wrong_names(weights: Weights, factor: float) -> None:
    recognize = build_recognizer(weights, CONFIG)
    stretched = [replace(one, centre_um=one.centre_um * (factor, 1, 1)) for one in FILM[1:9]]
    wrong = sure = 0
    for answer, truth in zip(recognize(stretched), stretched, strict=True):
        mistaken = (answer.identity >= 0) & (answer.identity != truth.identity) & (truth.identity >= 0)
        wrong += int((answer.probability[mistaken] > 0.8).sum())
        sure += int((answer.probability > 0.8).sum())
    assert wrong <= 0.02 * max(sure, 50)


def test_coordinates_that_are_no_numbers_are_refused(weights: Weights) -> None:
    broken = FILM[8].centre_um.copy()
    broken[4, 1] = np.nan
    volume = Annotation.from_points(8, broken)
    with pytest.raises(DataError, match="volume 8, neuron 4"):
        build_recognizer(weights, CONFIG)([volume])
    with pytest.raises(DataError, match="volume 8, neuron 4"):
        learn_recognizer([], [volume], CONFIG)


def test_an_identity_twice_in_a_volume_is_refused() -> None:
    twins = replace(FILM[0], identity=np.where(np.arange(len(FILM[0])) < 2, 12, FILM[0].identity))
    with pytest.raises(DataError, match=r"12 .* times"):
        learn_recognizer([twins], [], CONFIG)


def test_an_identity_that_was_seen_once_can_be_learnt() -> None:
    often = replace(FILM[1], identity=np.where(FILM[1].identity == 20, -1, FILM[1].identity))
    assert 20 in FILM[0].identity
    answers = learn_recognizer([FILM[0], often], [], CONFIG)(NAMELESS[2:10])
    seen = [one for one in FILM[2:10] if 20 in one.identity]
    right = [20 in a.identity[o.identity == 20] for a, o in zip(answers, FILM[2:10], strict=True) if 20 in o.identity]
    assert sum(right) > len(seen) / 2


def test_annotations_in_one_posture_serve_for_others() -> None:
    straight = [see_head(HEAD, 50 + number) for number in range(3)]
    answers = learn_recognizer(straight, NAMELESS, CONFIG)(NAMELESS)
    assert measure_accuracy(answers, FILM) > 0.85


def test_a_recording_without_neurons_cannot_be_numbered() -> None:
    with pytest.raises(DataError, match="at least two neurons"):
        identify_recording([Annotation.from_points(0, np.zeros((0, 3)))], {}, CONFIG)


def test_the_same_seed_learns_the_same() -> None:
    first, second, other = (
        train_weights(FILM[:2], NAMELESS[2:6], brief(steps=5, self_steps=3), seed=seed).arrays["net.head.weight"]
        for seed in (1, 1, 2)
    )
    assert (first == second).all()
    assert (first != other).any()


def test_neither_workers_nor_the_order_of_volumes_change_the_names(weights: Weights, tmp_path: Path) -> None:
    path = tmp_path / "recognizer.safetensors"
    save_weights(weights, path)
    config = CONFIG.model_copy(update={"recognize": CONFIG.recognize.model_copy(update={"weights": str(path)})})
    one, three, backwards = (
        identify_recording(volumes, {}, config, workers=workers)
        for volumes, workers in ((NAMELESS, 1), (NAMELESS, 3), (NAMELESS[::-1], 2))
    )
    assert list(one) == list(three) == list(backwards)[::-1]
    for volume in one:
        for other in (three, backwards):
            np.testing.assert_array_equal(other[volume].identity, one[volume].identity)
            np.testing.assert_array_equal(other[volume].probability, one[volume].probability)


def test_from_nothing_the_number_of_workers_does_not_matter() -> None:
    one, two = (identify_recording(NAMELESS[:6], {}, brief(self_steps=2), workers=workers) for workers in (1, 2))
    for volume in one:
        np.testing.assert_array_equal(two[volume].identity, one[volume].identity)
        np.testing.assert_array_equal(two[volume].probability, one[volume].probability)


def test_without_annotation_fewer_steps_are_taken() -> None:
    taken: dict[int, list[int]] = {0: [], 1: []}
    config = brief(steps=3, self_steps=9, alone_steps=4)
    for annotated, steps in taken.items():
        train_weights(
            FILM[:annotated], NAMELESS[1:5], config, on_step=lambda told, steps=steps: steps.append(told.steps)
        )
    assert set(taken[0]) == {4}
    assert len(taken[0]) == 4
    assert set(taken[1]) == {3 + 9}
