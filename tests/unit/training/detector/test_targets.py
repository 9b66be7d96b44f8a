"""Targets drawn and decoded again give the boxes and centres they were drawn from."""

from dataclasses import replace

import numpy as np
import pytest

from cender.detect.decode import decode_centres, decode_regions
from cender.training.detector.augment import cut_window, turn
from cender.training.detector.partial import complete_sample
from cender.training.detector.samples import Sample, cut_columns, hold_out
from cender.training.detector.targets import draw_targets
from cender.types import Maps


def make_head(neurons: int = 12, seed: int = 0) -> Sample:
    """Neurons of three frames each on a grid, far enough apart not to touch."""
    rng = np.random.default_rng(seed)
    place = np.array([(y, x) for y in range(16, 96, 22) for x in range(16, 96, 22)], float)[:neurons]
    centre = np.column_stack([rng.integers(3, 9, neurons), place + rng.uniform(-2, 2, place.shape)])
    frame = (centre[:, :1].astype(int) + np.array([-1, 0, 1])).ravel()
    neuron = np.repeat(np.arange(neurons), 3)
    size = rng.uniform(7, 12, (neurons, 2))[neuron]
    corner = centre[neuron][:, [2, 1]] - (size - 1) / 2
    image = np.zeros((12, 112, 112), np.float32)
    for (z, y, x), k in zip(centre, range(neurons), strict=True):
        ys, xs = np.mgrid[0:112, 0:112]
        for dz in (-1, 0, 1):
            image[int(z) + dz] += (0.4 + 0.05 * k) * np.exp(-((ys - y) ** 2 + (xs - x) ** 2) / 18) / (1 + abs(dz))
    return Sample(
        image, frame, np.column_stack([corner, size]), neuron, centre, np.zeros((0, 3)), np.array([1.5, 0.3, 0.3])
    )


def to_maps(sample: Sample) -> Maps:
    """Maps of a network that has learnt its targets perfectly."""
    targets = draw_targets(sample)
    heat = np.clip(targets.heat, 1e-4, 1 - 1e-4)
    return Maps.pack(np.concatenate([np.log(heat / (1 - heat)), targets.values], axis=1).astype(np.float32))


def sort_rows(rows: np.ndarray) -> np.ndarray:
    return rows[np.lexsort(np.round(rows[:, ::-1], 1).T)]


def assert_decodes(sample: Sample) -> None:
    frame, box, _ = decode_regions(to_maps(sample), 0.5)
    found, expected = np.column_stack([frame, box]), np.column_stack([sample.frame, sample.box])
    assert len(found) == len(expected)
    distance = np.abs(found[:, None] - expected[None]).max(2)
    assert distance.min(0).max() < 0.2
    _, centre, _ = decode_centres(to_maps(sample), 0.5)
    assert len(centre) == len(sample.centre)
    apart = np.linalg.norm((centre[:, None] - sample.centre[None]) * (5, 1, 1), axis=2)
    assert apart.min(0).max() < 0.7


def test_targets_decode_to_what_they_were_drawn_from() -> None:
    assert_decodes(make_head())


@pytest.mark.parametrize("seed", range(6))
def test_turning_a_head_turns_its_annotation(seed: int) -> None:
    sample = make_head()
    turned = turn(sample, np.random.default_rng(seed))
    assert_decodes(turned)
    rows = np.rint(turned.centre).astype(int)
    assert turned.image[tuple(rows.T)] == pytest.approx(sample.image[tuple(np.rint(sample.centre).astype(int).T)])


def test_a_window_shows_the_neurons_where_its_annotation_says() -> None:
    sample = make_head()
    shown = 0
    for seed in range(12):
        window = cut_window(sample, 64, np.random.default_rng(seed))
        inside = ((window.centre[:, 1:] > 3) & (window.centre[:, 1:] < 60)).all(1)
        shown += int(inside.sum())
        for z, y, x in window.centre[inside]:
            part = window.image[int(z), round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4]
            assert np.abs(np.array(np.unravel_index(part.argmax(), part.shape)) - 3).max() <= 1
    assert shown > 8, "most windows are cut around a neuron"


def test_unsure_places_teach_nothing_but_marked_ones_do() -> None:
    sample = make_head()
    place = np.array([[5.0, 100.0, 100.0]])
    whole = draw_targets(sample)
    partial = draw_targets(replace(sample, unsure=np.concatenate([place, sample.centre[:1]])))
    assert whole.heat_weight.min() == 1
    assert partial.heat_weight[5, :, 50, 50].tolist() == [0, 0]
    assert partial.heat_weight[partial.heat >= 1].min() == 1


def test_few_heads_hold_out_a_fifth_of_their_width_and_many_a_fifth_of_the_heads() -> None:
    taught, held = hold_out([make_head()])
    assert len(taught) == len(held) == 1
    assert 0 < len(held[0].centre) < len(taught[0].centre)
    assert len(taught[0].centre) + len(held[0].centre) == 12
    taught, held = hold_out([make_head(seed=s) for s in range(10)])
    assert (len(taught), len(held)) == (8, 2)


def test_columns_keep_their_neurons_boxes() -> None:
    part = cut_columns(make_head(), 30, 112)
    assert (part.centre[:, 2] >= 0).all()
    assert np.array_equal(np.unique(part.neuron), np.arange(len(part.centre)))


def test_centres_without_boxes_get_those_the_network_sees() -> None:
    sample = make_head()
    bare = replace(sample, frame=np.zeros(0, int), box=np.zeros((0, 4)), neuron=np.zeros(0, int))
    grown = complete_sample(bare, lambda _: to_maps(sample), complete=True)
    assert len(grown.box) == len(sample.box)
    np.testing.assert_allclose(
        sort_rows(np.column_stack([grown.neuron, grown.frame, grown.box])),
        sort_rows(np.column_stack([sample.neuron, sample.frame, sample.box])),
        atol=0.2,
    )
    assert not len(grown.unsure)


def test_clicks_settle_where_the_network_sees_the_neuron_and_drawn_boxes_do_not() -> None:
    sample = make_head()
    clicked = replace(sample, centre=sample.centre + np.array([0.6, 2.0, -2.0]))
    bare = replace(clicked, frame=np.zeros(0, int), box=np.zeros((0, 4)), neuron=np.zeros(0, int))
    settled = complete_sample(bare, lambda _: to_maps(sample), complete=True).centre
    assert np.abs(bare.centre - sample.centre).max() > 1.9
    np.testing.assert_allclose(settled, sample.centre, atol=0.5)
    np.testing.assert_array_equal(
        complete_sample(clicked, lambda _: to_maps(sample), complete=True).centre, clicked.centre
    )
    # Farther away there may be another neuron, which the network does not see.
    far = replace(bare, centre=sample.centre + np.array([0.0, 0.0, 14.0]))
    np.testing.assert_allclose(
        complete_sample(far, lambda _: to_maps(sample), complete=True).centre[:1], far.centre[:1]
    )


def test_imported_points_a_frame_beside_the_light_settle_too() -> None:
    sample = make_head()
    shifted = replace(sample, centre=sample.centre + np.array([1.5, 0.0, 0.0]))
    bare = replace(shifted, frame=np.zeros(0, int), box=np.zeros((0, 4)), neuron=np.zeros(0, int))
    assert 1.5 * sample.step_um[0] > 2, "each by itself is too far away"
    settled = complete_sample(bare, lambda _: to_maps(sample), complete=True).centre
    np.testing.assert_allclose(settled, sample.centre, atol=0.5)


def test_what_the_network_sees_beside_the_marks_is_unsure() -> None:
    sample = make_head()
    half = cut_columns(sample, 0, 112)
    marked = sample.centre[:, 2] < 50
    number = np.cumsum(marked) - 1
    mine = marked[sample.neuron]
    half = replace(
        sample,
        frame=sample.frame[mine],
        box=sample.box[mine],
        neuron=number[sample.neuron[mine]],
        centre=sample.centre[marked],
    )
    partial = complete_sample(half, lambda _: to_maps(sample), complete=False)
    assert len(partial.unsure) > 0
    assert partial.unsure[:, 2].min() > 50
    assert not len(complete_sample(half, lambda _: to_maps(sample), complete=True).unsure)


def test_of_a_partial_head_only_the_marks_are_known() -> None:
    sample = make_head()
    whole, partial = draw_targets(sample), draw_targets(replace(sample, partial=True))
    assert whole.heat_weight.min() == 1
    assert 0.01 < partial.heat_weight.mean() < 0.5
    np.testing.assert_array_equal(partial.heat, whole.heat)
    assert partial.heat_weight[whole.heat > 0.1].min() == 1
    assert partial.heat_weight[whole.heat == 0].max() == 0


def test_what_a_person_removed_teaches_that_there_is_nothing() -> None:
    head = make_head()
    marked = replace(head, partial=True)
    place = np.array([[6.0, 100.0, 100.0]])
    silent, denied = draw_targets(marked), draw_targets(replace(marked, denied=place))
    assert silent.heat_weight[6, :, 50, 50].tolist() == [0, 0]
    assert denied.heat_weight[6, :, 50, 50].tolist() == [1, 1]
    assert denied.heat[6, :, 50, 50].max() < 1e-3
    # No farther than that: beside it there may be a neuron that nobody marked.
    assert (denied.heat_weight != silent.heat_weight).sum() <= 2 * 3 * 25
    turned = turn(replace(marked, denied=head.centre[:1]), np.random.default_rng(3))
    np.testing.assert_allclose(turned.denied, turned.centre[:1])
