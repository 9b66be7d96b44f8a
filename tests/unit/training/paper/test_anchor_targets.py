"""Targets of the paper's network, and training that learns something."""

import numpy as np

from cender.detect.anchors import decode_boxes, place_anchors
from cender.detect.multi_field import MultiFieldParams
from cender.training.paper.anchor_scenes import Scene
from cender.training.paper.anchor_targets import gather_examples, turn_examples
from cender.training.paper.multi_field import MultiFieldTraining, measure_f1, train_cycle
from cender.types import Crop, Head, Regions, VoxelSize


def make_scene(seed: int = 0) -> Scene:
    """A small frame of noise with wide nuclei, of which all are marked, and single bright pixels, which are none."""
    rng = np.random.default_rng(seed)
    red = rng.normal(100, 5, (3, 80, 100))
    y, x = np.ogrid[:80, :100]
    rows = []
    for z in range(3):
        for top in (20, 50):
            left = int(rng.integers(15, 70))
            red[z] += 90 * np.exp(-((y - top) ** 2 / 18 + (x - left - 1) ** 2 / 32))
            rows.append((z, left - 4, top - 3, 11, 7))
        red[z][rng.integers(5, 75, 12), rng.integers(5, 95, 12)] += 120
    table = np.array(rows, float)
    head = Head(Crop(0, 0, 100, 80), np.zeros((0, 2)), np.zeros(2), np.array([1.0, 0]), np.array([0, 1.0]))
    regions = Regions.from_boxes(table[:, 0].astype(int), table[:, 1:])
    return Scene(red.astype(np.uint16), head, VoxelSize(1.5, 0.3, 0.3), regions)


def test_targets_lead_back_to_the_true_boxes() -> None:
    scene = make_scene()
    examples = gather_examples(scene, MultiFieldParams())
    marked = examples.label > 0
    assert 0 < marked.sum() < len(examples)
    box = examples.box[marked]
    corner = examples.peaks[marked][:, :0:-1] + box[:, :2] - (box[:, 2:] - 1) / 2
    true = {tuple(row) for row in scene.regions.box_px.tolist()}
    assert {tuple(row) for row in np.column_stack([corner, box[:, 2:]]).tolist()} == true


def test_turned_fields_and_boxes_stay_together() -> None:
    rng = np.random.default_rng(0)
    offset, size = np.array([3.0, -2.0]), np.array([7.0, 5.0])
    fields = np.zeros((64, 5, 41, 41), np.float32)
    x, y = (20 + offset - (size - 1) / 2).astype(int)
    fields[:, :, y : y + 5, x : x + 7] = 1
    box = np.tile(np.concatenate([offset, size]), (64, 1))
    turned, corrections = turn_examples(fields, box, np.full(64, 9), rng)
    _, anchor = place_anchors(np.array([[0, 20, 20]]), (9,))
    decoded = decode_boxes(np.repeat(anchor, 64, axis=0), corrections)
    assert len({tuple(row) for row in decoded.round(6).tolist()}) == 8, "all symmetries of the square occur"
    for image, (left, top, wide, high) in zip(turned[:, 3], decoded.round().astype(int), strict=True):
        assert image.sum() == 35
        assert image[top : top + high, left : left + wide].all()


def test_training_learns_to_tell_nuclei_from_bright_pixels() -> None:
    scenes = [make_scene(seed) for seed in range(3)]
    examples = [gather_examples(scene, MultiFieldParams()) for scene in scenes]
    training = MultiFieldTraining(width=1 / 32, samples_per_epoch=640, batch=32)
    state, first = train_cycle(examples, training, 0)
    state, second = train_cycle(examples, training, 1, state)
    assert second < first
    assert measure_f1(state, 1 / 32, scenes[:1], MultiFieldParams()) > 0.5


def test_the_same_seed_gives_the_same_weights() -> None:
    training = MultiFieldTraining(width=1 / 32, samples_per_epoch=64, batch=32)
    examples = [gather_examples(make_scene(), MultiFieldParams())]
    one, two = (train_cycle(examples, training, 0)[0] for _ in range(2))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    other = train_cycle(examples, training.model_copy(update={"seed": 1}), 0)[0]
    assert not all(np.array_equal(one[name], other[name]) for name in one)
