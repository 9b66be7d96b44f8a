"""Cell types by position: names become numbers, poses are found from shared names, mirror images are noticed."""

from dataclasses import replace

import numpy as np
import pytest

from cender.bench.paper.cell_parts import PARTS, measure_averaged, measure_parts
from cender.bench.paper.celltypes import choose_side, fit_rotation, match_heads, measure_cell_types, pose_by_labels
from cender.recognize.paper.params import PaperParams
from cender.training.paper.embedding import train_embedding
from cender.types import Annotation

WORM = np.random.default_rng(0).normal(0, (6, 8, 30), (40, 3))


def make_head(volume: int, turn: np.ndarray) -> Annotation:
    noise = np.random.default_rng(volume).normal(0, 0.3, WORM.shape)
    return Annotation.from_points(volume, (WORM + noise) @ turn + 50, np.arange(40))


def embed_places(head: Annotation) -> np.ndarray:
    """Places about the middle, such that near ones have a large scalar product."""
    place = (head.centre_um - head.centre_um.mean(0)) / 30
    wave = np.random.default_rng(1).normal(0, 6, (3, 200))
    return np.concatenate([np.cos(place @ wave), np.sin(place @ wave)], axis=1)


def test_a_pose_from_names_undoes_turns_and_mirrors() -> None:
    mirror = np.diag([-1.0, 1.0, 1.0])
    heads = [make_head(0, np.eye(3)), make_head(1, np.diag([1.0, -1.0, -1.0])), make_head(2, mirror)]
    before = measure_cell_types(heads, embed_places)["accuracy"]
    posed, mirrored = pose_by_labels(heads)
    after = measure_cell_types(posed, embed_places)
    assert before < 0.5 < 0.95 < after["accuracy"]
    assert (mirrored, after["heads"]) == (1, 3)
    spread = np.ptp(posed[0].centre_um, axis=0)
    assert spread[1] > 2 * spread[2], "the long axis lies along y, where the axes of all heads say anterior"


def test_a_mirrored_head_stays_mirrored_where_heads_are_only_turned() -> None:
    heads = [make_head(0, np.eye(3)), make_head(1, np.diag([1.0, -1.0, -1.0])), make_head(2, np.diag([-1.0, 1.0, 1.0]))]
    turned, mirrored = pose_by_labels(heads, fit_rotation)
    assert mirrored == 0
    whole = measure_cell_types(pose_by_labels(heads)[0], embed_places)["accuracy"]
    assert measure_cell_types(turned[:2], embed_places)["accuracy"] > 0.95, "a turn is undone"
    assert measure_cell_types(turned, embed_places)["accuracy"] < whole - 0.2, "a mirror image is not"


def test_many_heads_averaged_are_a_better_template_than_one() -> None:
    rng = np.random.default_rng(2)
    look = rng.normal(0, 1, (40, 30))
    noisy = [look + rng.normal(0, 1.5, look.shape) for _ in range(6)]
    heads = [make_head(row, np.eye(3)) for row in range(6)]
    alone = measure_cell_types(heads, lambda head: noisy[head.volume])["accuracy"]
    averaged = measure_averaged(heads, lambda head: noisy[head.volume])["accuracy"]
    assert averaged > alone + 0.05


def test_every_part_is_measured_and_the_best_side_is_no_worse() -> None:
    heads = [make_head(row, np.eye(3)) for row in range(3)]
    weights = train_embedding(heads, PaperParams(epochs=2, knn="objects", density="objects", k=10), 0)
    parts = measure_parts(heads, weights)
    assert set(parts) == set(PARTS)
    assert parts["best side"]["accuracy"] >= max(parts["whole"]["accuracy"], parts["unsided"]["accuracy"])


def test_the_side_is_chosen_without_names() -> None:
    posed, _ = pose_by_labels([make_head(0, np.eye(3)), make_head(1, np.eye(3))])
    classes = embed_places(posed[0])
    wrong = [replace(one, centre_um=one.centre_um * np.array([1, -1, 1]), identity=one.identity * 0) for one in posed]
    chosen = choose_side(wrong, embed_places, classes)
    assert np.allclose(chosen[0].centre_um, posed[0].centre_um)


def test_neurons_that_match_nothing_count_unless_counted_as_published() -> None:
    template = Annotation.from_points(0, WORM[:2], np.array([0, 1]))
    head = Annotation.from_points(1, WORM[:3], np.array([1, 7, 0]))
    hits = match_heads(template, head, np.array([[0.0, 0.1], [0.9, 0.0], [0.2, 0.8]]))
    assert (hits.right, hits.knowable, hits.matched) == (0, 2, 1)
    wrong, fine = make_head(3, np.diag([1.0, -1.0, 1.0])), [make_head(one, np.eye(3)) for one in range(2)]
    found = measure_cell_types([*fine, wrong], embed_places)
    assert found["published"]["templates"][0] == pytest.approx(found["published"]["accuracy"], abs=0.05)
    assert found["accuracy"] < found["published"]["accuracy"], "a bad third template is never used as published"
