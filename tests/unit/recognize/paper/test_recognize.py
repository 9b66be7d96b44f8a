"""The paper's recognition: one-to-one, with "another neuron" for the rest, by weights or by a template."""

from dataclasses import replace

import numpy as np
import pytest

from cender.errors import DataError
from cender.recognize.paper.params import PaperParams
from cender.recognize.paper.recognize import describe_neurons, recognize_with_template, recognize_with_weights
from cender.types import Annotation, Crop, Head, Regions, VoxelSize

PARAMS = PaperParams(k=5, q=3, s=8.0, axes="points")


def make_volume(count: int, seed: int = 1) -> Annotation:
    rng = np.random.default_rng(seed)
    return Annotation.from_points(4, rng.normal((20, 50, 50), (6, 30, 8), (count, 3)), np.arange(count) + 10)


def with_regions(annotation: Annotation) -> Annotation:
    neuron = np.repeat(np.arange(len(annotation)), 3)
    z, y, x = (annotation.centre_um[neuron] / (1.5, 0.3, 0.3)).T
    boxes = np.stack([x - 4, y - 4, np.full(len(x), 9.0), np.full(len(x), 9.0)], axis=1)
    frames = np.rint(z).astype(int) + np.tile([-1, 0, 1], len(annotation))
    regions = Regions.from_boxes(frames, boxes, neuron=neuron)
    return replace(annotation, regions=regions, voxel_um=VoxelSize(1.5, 0.3, 0.3))


def answer(cosine: list[list[float]], identities: list[int]) -> tuple[list[int], list[float]]:
    """What comes of these cosines between neurons and classes."""
    table = np.array(cosine)
    given = recognize_with_weights(
        make_volume(len(table)), lambda features: table, np.eye(table.shape[1]), np.array(identities, int), PARAMS
    )
    return given.identity.tolist(), given.probability.tolist()


def test_two_neurons_do_not_get_the_same_identity() -> None:
    cosine = [[0.9, 0.8, 0.0], [0.8, 0.1, 0.0]]
    assert np.argmax(cosine, axis=1).tolist() == [0, 0], "each alone would take the first"
    identity, probability = answer(cosine, [7, 5])
    assert identity == [5, 7]
    weight = np.exp(8 * np.array(cosine))
    assert probability == pytest.approx([weight[0, 1] / weight[0].sum(), weight[1, 0] / weight[1].sum()])


def test_neuron_nearest_to_the_last_class_gets_no_identity() -> None:
    identity, probability = answer([[0.2, 0.1, 0.9], [0.9, 0.1, 0.2]], [7, 5])
    assert identity == [-1, 7]
    assert probability[0] == 0


def test_surplus_neurons_are_others() -> None:
    identity, _ = answer([[0.1, 0.5], [0.9, 0.5], [0.2, 0.5], [0.3, 0.9]], [7])
    assert identity == [-1, 7, -1, -1]


@pytest.mark.parametrize("identities", [np.array([3, 4]), np.arange(60)])
def test_answers_follow_the_neurons(identities: np.ndarray) -> None:
    volume = make_volume(30)
    rng = np.random.default_rng(2)
    mix, classes = rng.normal(size=(27, 6)), rng.normal(size=(len(identities) + 1, 6))
    order = rng.permutation(30)
    turned = replace(volume, centre_um=volume.centre_um[order])
    first, second = (
        recognize_with_weights(item, lambda features: np.tanh(features @ mix), classes, identities, PARAMS)
        for item in (volume, turned)
    )
    assert first.identity[order].tolist() == second.identity.tolist()
    named = first.identity[first.identity >= 0]
    assert len(named) == len(set(named.tolist())) >= 2
    assert ((first.probability >= 0) & (first.probability <= 1)).all()


@pytest.mark.parametrize("knn", ["objects", "regions"])
@pytest.mark.parametrize("density", ["objects", "regions"])
def test_every_combination_of_table_s2(knn: str, density: str) -> None:
    volume = with_regions(make_volume(30))
    params = PARAMS.model_copy(update={"knn": knn, "density": density})
    found = describe_neurons(volume, params)
    plain = describe_neurons(volume, PARAMS.model_copy(update={"knn": "objects", "density": "objects"}))
    assert found.shape == (30, 4 * 3 + 3 * 5)
    assert np.isfinite(found).all()
    assert np.allclose(found[:, :12], plain[:, :12]) == (density == "objects")
    assert np.allclose(found[:, 12:], plain[:, 12:]) == (knn == "objects")


def test_volume_without_regions_is_described_by_its_objects() -> None:
    volume = make_volume(30)
    regions = PARAMS.model_copy(update={"knn": "regions", "density": "regions"})
    objects = PARAMS.model_copy(update={"knn": "objects", "density": "objects"})
    assert np.array_equal(describe_neurons(volume, regions), describe_neurons(volume, objects))


def embed_plainly(features: np.ndarray) -> np.ndarray:
    centred = features - 0.1
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


def test_template_names_a_moved_volume_and_leaves_strangers_alone() -> None:
    template = make_volume(25)
    order = np.random.default_rng(3).permutation(25)
    moved = replace(template, centre_um=template.centre_um[order] + (3.0, 40.0, -9.0), identity=np.full(25, -1))
    given = recognize_with_template(moved, template, embed_plainly, PARAMS)
    assert given.identity.tolist() == template.identity[order].tolist()
    assert (given.probability > 0).all()
    unnamed = replace(template, identity=np.where(np.arange(25) < 20, template.identity, -1))
    given = recognize_with_template(moved, unnamed, embed_plainly, PARAMS)
    assert given.identity.tolist() == unnamed.identity[order].tolist()
    assert (given.probability[given.identity < 0] == 0).all()
    more = make_volume(40, seed=8)
    given = recognize_with_template(more, template, embed_plainly, PARAMS)
    assert sorted(given.identity[given.identity >= 0].tolist()) == template.identity.tolist()
    assert (given.identity == -1).sum() == 15


def test_a_template_of_another_voxel_size_is_the_same_template() -> None:
    template = with_regions(make_volume(25))
    box = template.regions.box_px
    # Half the pixels: centres of boxes, x + (w - 1) / 2, lie at half the index.
    centre, size = (box[:, :2] + (box[:, 2:] - 1) / 2) / 2, box[:, 2:] / 2
    small = np.column_stack([centre - (size - 1) / 2, size])
    coarse = Regions.from_boxes(template.regions.z, small, neuron=template.regions.neuron)
    seen = replace(template, regions=coarse, voxel_um=VoxelSize(1.5, 0.6, 0.6), identity=np.full(25, -1))
    params = PARAMS.model_copy(update={"density": "regions"})
    wrong = replace(seen, voxel_um=VoxelSize(1.5, 0.3, 0.3))
    known = describe_neurons(template, params)
    assert not np.allclose(describe_neurons(wrong, params), known), "boxes matter"
    assert np.allclose(describe_neurons(seen, params), known)
    given = recognize_with_template(seen, template, embed_plainly, params)
    assert given.identity.tolist() == template.identity.tolist()


def test_useless_templates_are_refused() -> None:
    volume = make_volume(6)
    with pytest.raises(DataError, match="volume 4: expected a template with identities"):
        recognize_with_template(volume, replace(volume, identity=np.full(6, -1)), embed_plainly, PARAMS)
    twice = replace(volume, identity=np.array([1, 2, 3, 3, -1, -1]))
    with pytest.raises(DataError, match="identity 3 2 times"):
        recognize_with_template(volume, twice, embed_plainly, PARAMS)


def test_no_neuron_at_all() -> None:
    nothing = make_volume(0)
    assert len(recognize_with_template(nothing, make_volume(6), embed_plainly, PARAMS)) == 0
    assert len(recognize_with_weights(nothing, embed_plainly, np.eye(3), np.array([1, 2]), PARAMS)) == 0


def test_thousand_spurious_points_and_one_neuron() -> None:
    rng = np.random.default_rng(0)
    mix, classes = rng.normal(size=(27, 6)), rng.normal(size=(3, 6))
    for count in (1, 1000):
        given = recognize_with_weights(
            make_volume(count), lambda features: np.tanh(features @ mix), classes, np.array([1, 2]), PARAMS
        )
        assert (given.identity >= 0).sum() <= 2
        assert np.isfinite(given.probability).all()


def test_volume_without_a_head_is_refused_by_a_recognizer_of_heads(caplog: pytest.LogCaptureFixture) -> None:
    volume = make_volume(6)
    rng = np.random.default_rng(0)
    mix, classes = rng.normal(size=(27, 6)), rng.normal(size=(9, 6))
    answers = [
        recognize_with_weights(volume, lambda features: features @ mix, classes, np.arange(8), params)
        for params in (PARAMS, PARAMS.model_copy(update={"axes": "head"}))
    ]
    assert (answers[0].identity >= 0).any()
    assert (answers[1].identity == -1).all()
    assert (answers[1].probability == 0).all()
    assert "volume 4 has no head" in caplog.text


def test_template_and_volume_are_seen_along_the_same_axes() -> None:
    template = make_volume(25)
    head = Head(Crop(0, 0, 9, 9), np.zeros((0, 2)), np.zeros(2), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    params = PARAMS.model_copy(update={"axes": "head"})
    apart = describe_neurons(replace(template, head=head), params) - describe_neurons(template, PARAMS)
    assert np.abs(apart).max() > 0.1, "the axes of the head are others"
    given = recognize_with_template(replace(template, head=head), template, embed_plainly, params)
    assert given.identity.tolist() == template.identity.tolist()
