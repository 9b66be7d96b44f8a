"""What holds for every matching and every figure, whatever the neurons."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from cases.building import Neuron, recording, volume
from cender.evaluate import evaluate_recording, match_centres, match_neurons
from cender.evaluate.match import match_pairs
from cender.types import Annotation, Annotations

# Odd sizes and positions: two pairs of exactly the same overlap would leave the order to decide.
place = st.floats(0, 24).map(lambda value: round(value, 3))
neuron = st.builds(
    Neuron,
    x=place,
    y=place,
    frames=st.builds(lambda first, count: range(first, first + count), st.integers(0, 3), st.integers(1, 4)),
    probability=st.floats(0, 1),
    size=st.floats(2, 9).map(lambda value: round(value, 3)),
)


@st.composite
def sides(draw: st.DrawFn, *, largest: int = 7, names: bool = True) -> Annotations:
    """A recording of one or two volumes with distinct identities in each."""
    annotations = []
    for index in range(draw(st.integers(1, 2))):
        neurons = draw(st.lists(neuron, max_size=largest, unique_by=lambda n: (n.x, n.y)))
        numbers = draw(st.permutations(range(-3, largest))) if names else range(largest)
        annotations.append(
            volume(index, *(replace(n, identity=max(k, -1)) for n, k in zip(neurons, numbers, strict=False)))
        )
    return recording(*annotations)


def shuffle(annotation: Annotation, order: np.ndarray) -> Annotation:
    """The same volume with its neurons in another order."""
    place_of = np.argsort(order)
    regions = replace(annotation.regions, neuron=place_of[annotation.regions.neuron])
    return replace(
        annotation,
        centre_um=annotation.centre_um[order],
        identity=annotation.identity[order],
        probability=annotation.probability[order],
        regions=regions.select(np.arange(len(regions))[::-1]),
    )


qualities = st.integers(0, 6).flatmap(
    lambda rows: st.integers(0, 6).flatmap(
        lambda columns: st.lists(
            st.lists(st.floats(0, 1), min_size=columns, max_size=columns), min_size=rows, max_size=rows
        ).map(lambda table: np.array(table, float).reshape(rows, columns))
    )
)


@given(qualities)
def test_matching_is_one_to_one_allowed_and_as_large_as_possible(quality: np.ndarray) -> None:
    allowed = quality > 0.3
    matching = match_pairs(quality, allowed)
    rows, columns = matching.pairs.T
    assert len(set(rows)) == len(rows)
    assert len(set(columns)) == len(columns)
    assert allowed[rows, columns].all()
    assert len(matching) == allowed[linear_sum_assignment(allowed, maximize=True)].sum()
    everyone = np.concatenate([rows, matching.unmatched_truth])
    assert sorted(everyone) == list(range(len(quality)))


@given(qualities)
def test_matching_is_symmetric_in_its_sides(quality: np.ndarray) -> None:
    matching, turned = (match_pairs(q, q > 0.3) for q in (quality, quality.T.copy()))
    assert len(matching) == len(turned)
    assert matching.quality.sum() == pytest.approx(turned.quality.sum())


@settings(max_examples=25)
@given(sides(), sides(), st.randoms(use_true_random=False))
def test_order_of_neurons_does_not_matter(
    truth: Annotations, predicted: Annotations, random: np.random.Generator
) -> None:
    a, b = truth.annotations[0], predicted.annotations[0]
    assume(len(np.unique(np.concatenate([a.centre_um, b.centre_um]), axis=0)) == len(a) + len(b))
    order_a, order_b = (np.array(random.sample(range(len(s)), len(s)), int) for s in (a, b))
    for match in (match_neurons, match_centres):
        before, after = match(a, b), match(shuffle(a, order_a), shuffle(b, order_b))
        assert len(before) == len(after)
        assert np.sort(before.quality).sum() == pytest.approx(np.sort(after.quality).sum())


@given(st.integers(0, 2**32 - 1), st.integers(0, 7), st.integers(0, 7))
def test_matching_is_equivariant_under_permutation(seed: int, rows: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    quality = rng.random((rows, columns))  # no two choices are equally good
    order_rows, order_columns = rng.permutation(rows), rng.permutation(columns)
    shuffled = quality[np.ix_(order_rows, order_columns)]
    after = match_pairs(shuffled, shuffled > 0.3).pairs
    again = {(int(order_rows[i]), int(order_columns[j])) for i, j in after}
    assert again == {(int(i), int(j)) for i, j in match_pairs(quality, quality > 0.3).pairs}


@settings(max_examples=25)
@given(sides())
def test_a_perfect_prediction_has_perfect_figures(truth: Annotations) -> None:
    perfect = replace(
        truth,
        annotations={t: replace(a, probability=np.ones(len(a))) for t, a in truth.annotations.items()},
    )
    figures = evaluate_recording(perfect, truth).as_json()
    for topic in ("detection_2d", "detection_3d", "centre"):
        assert set(figures[topic].values()) <= {1.0, None}
    identity = dict(figures["identity"])
    assert identity.pop("calibration_error") in (0.0, None)
    assert set(identity.values()) <= {1.0, None}


@settings(max_examples=25)
@given(sides(), sides())
def test_figures_keep_their_bounds(truth: Annotations, predicted: Annotations) -> None:
    figures = evaluate_recording(predicted, truth).as_json()
    for topic in ("detection_2d", "detection_3d", "centre"):
        precision, recall, f1 = (figures[topic][key] for key in ("precision", "recall", "f1"))
        if precision is not None and recall is not None:
            assert min(precision, recall) <= f1 <= max(precision, recall)
    identity = figures["identity"]
    assert all(value is None or 0 <= value <= 1 for value in identity.values())
    if identity["accuracy_all"] is not None:
        assert identity["recall_at_95_strict"] <= identity["accuracy_all"]
    assert sum(figures["errors"]["identity"].values()) == figures["counts"]["identity"]["truth"]


@settings(max_examples=25)
@given(sides(), sides())
def test_exchanging_the_sides_exchanges_precision_and_recall(truth: Annotations, predicted: Annotations) -> None:
    both = truth.annotations.keys() & predicted.annotations.keys()
    one, other = (
        evaluate_recording(predicted, truth, volumes=both),
        evaluate_recording(truth, predicted, volumes=both),
    )
    for topic in ("detection_2d", "detection_3d", "centre"):
        assert getattr(one, topic).precision == getattr(other, topic).recall
        assert getattr(one, topic).f1 == getattr(other, topic).f1


@settings(max_examples=25)
@given(sides(), sides(), st.floats(100, 200))
def test_a_false_detection_never_raises_precision(truth: Annotations, predicted: Annotations, x: float) -> None:
    extra = volume(0, Neuron(x, x))
    found = predicted.annotations[0]
    regions = found.regions
    more = replace(
        found,
        centre_um=np.concatenate([found.centre_um, extra.centre_um]),
        identity=np.append(found.identity, -1),
        probability=np.append(found.probability, 1.0),
        regions=replace(
            regions,
            **{
                name: np.concatenate([getattr(regions, name), getattr(extra.regions, name)])
                for name in ("z", "box_px", "score", "intensity")
            },
            neuron=np.concatenate([regions.neuron, np.full(len(extra.regions), len(found))]),
        ),
    )
    before = evaluate_recording(predicted, truth)
    after = evaluate_recording(replace(predicted, annotations={**predicted.annotations, 0: more}), truth)
    for topic in ("detection_2d", "detection_3d", "centre"):
        old, new = getattr(before, topic), getattr(after, topic)
        assert (new.precision or 0) <= (old.precision or 0)
        assert new.recall == old.recall


@settings(max_examples=25)
@given(sides(), sides())
def test_renaming_never_makes_it_worse(truth: Annotations, predicted: Annotations) -> None:
    kept = evaluate_recording(predicted, truth).identity
    renamed = evaluate_recording(predicted, truth, rename=True).identity
    assert renamed.right >= kept.right
    assert renamed.given == kept.given
