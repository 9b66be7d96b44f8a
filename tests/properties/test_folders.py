"""What is saved in a folder is what is loaded from it."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cender.io.results.folder.run_folder import create_run
from cender.io.results.folder.run_results import load_run
from cender.io.results.parts.outcomes import save_outcomes
from cender.io.results.truth.folder import load_truth, save_truth
from cender.types import Annotation, Annotations, Crop, Head, Identities, Neurons, Outcome, Regions, VoxelSize

numbers = st.floats(-1e4, 1e4, allow_subnormal=False)
sizes = st.floats(0.01, 100.0)
shares = st.floats(0.0, 1.0)
words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
# A name is given once, and is no number: those are the columns of identities without a name.
names = st.dictionaries(st.integers(0, 30), words.map("N{}".format), max_size=3).filter(
    lambda given: len(set(given.values())) == len(given)
)
voxels = st.builds(VoxelSize, sizes, sizes, sizes)


def arrays(elements: st.SearchStrategy[float], rows: int, columns: int) -> st.SearchStrategy[np.ndarray]:
    cells = st.lists(elements, min_size=rows * columns, max_size=rows * columns)
    return cells.map(lambda values: np.array(values, float).reshape(rows, columns))


@st.composite
def heads(draw: st.DrawFn) -> Head:
    axes = draw(arrays(numbers, 3, 2))
    outline = draw(st.integers(0, 4).flatmap(lambda corners: arrays(numbers, corners, 2)))
    crop = Crop(*(draw(st.integers(0, 2000)) for _ in range(4)))
    return Head(crop, outline, *axes, quality=draw(shares), confidence=draw(shares))


@st.composite
def regions(draw: st.DrawFn, neurons: int, *, bounded: bool) -> Regions:
    """Boxes of some neurons, one a frame, and boxes of none."""
    places = st.tuples(st.integers(-1, neurons - 1), st.integers(0, 20))
    chosen = draw(st.lists(places, max_size=6, unique_by=lambda place: place if place[0] >= 0 else object()))
    neuron, z = np.array(chosen, int).reshape(-1, 2).T
    corner, size = draw(arrays(numbers, len(z), 2)), draw(arrays(sizes, len(z), 2))
    score = np.ones(len(z)) if bounded else draw(arrays(shares, len(z), 1))[:, 0]
    return Regions.from_boxes(z, np.hstack([corner, size]), neuron=neuron, score=score)


def identity_lists(count: int) -> st.SearchStrategy[np.ndarray]:
    one = st.integers(-1, 30)
    return st.lists(one, min_size=count, max_size=count, unique_by=lambda i: i if i >= 0 else object()).map(
        lambda values: np.array(values, int)
    )


@st.composite
def annotations(draw: st.DrawFn, volume: int, voxel_um: VoxelSize | None) -> Annotation:
    count = draw(st.integers(0, 4))
    return Annotation(
        volume,
        draw(arrays(numbers, count, 3)),
        draw(identity_lists(count)),
        np.ones(count),
        Regions.empty() if voxel_um is None else draw(regions(count, bounded=True)),
        draw(st.none() | heads()),
        draw(st.booleans()),
        draw(st.booleans()),
        voxel_um,
    )


@st.composite
def truths(draw: st.DrawFn) -> Annotations:
    volumes = draw(st.lists(st.integers(0, 500), min_size=1, max_size=4, unique=True))
    voxel_um = draw(st.none() | voxels)
    return Annotations(
        "somewhere",
        voxel_um,
        draw(st.none() | sizes),
        {volume: draw(annotations(volume, voxel_um)) for volume in volumes},
        draw(
            st.dictionaries(st.tuples(st.integers(0, 30), st.integers(0, 500)), numbers | st.just(np.nan), max_size=5)
        ),
        draw(names),
        draw(st.dictionaries(st.sampled_from(volumes), numbers)),
        draw(st.dictionaries(words, words, max_size=2)),
    )


def assert_same(found: object, expected: object) -> None:
    """Equal in every field, with NaN equal to NaN."""
    fields = getattr(type(expected), "__dataclass_fields__", None)
    if fields is None:
        np.testing.assert_equal(found, expected)
        return
    for name in fields:
        assert_same(getattr(found, name), getattr(expected, name))


@given(truths())
@settings(max_examples=20)
def test_truth_folder_round_trips(truth: Annotations) -> None:
    with tempfile.TemporaryDirectory() as folder:
        save_truth(truth, Path(folder))
        found = load_truth(Path(folder))
    assert (found.voxel_um, found.rate_hz, found.names) == (truth.voxel_um, truth.rate_hz, truth.names)
    assert found.provenance.items() >= truth.provenance.items()
    assert found.time_s == truth.time_s
    np.testing.assert_equal(dict(found.ratio), dict(truth.ratio))
    assert list(found.annotations) == sorted(truth.annotations)
    for volume, annotation in truth.annotations.items():
        assert_same(found.annotations[volume], annotation)


@st.composite
def outcomes(draw: st.DrawFn, volume: int) -> tuple[Outcome, Identities]:
    count = draw(st.integers(0, 4))
    first = np.arange(count)
    neurons = Neurons(
        draw(arrays(numbers, count, 3)),
        first,
        first + draw(st.integers(0, 3)),
        draw(arrays(shares, count, 1))[:, 0],
        draw(regions(count, bounded=False)),
    )
    status = draw(st.sampled_from(["ok", "flagged", "failed"]))
    known = status != "failed"
    outcome = Outcome(
        volume,
        draw(numbers),
        status,
        draw(words),
        draw(st.none() | heads()) if known else None,
        neurons if known else None,
        draw(st.dictionaries(words, sizes, max_size=2)),
    )
    seen = count if known else 0
    return outcome, Identities(draw(identity_lists(seen)), draw(arrays(shares, seen, 1))[:, 0])


@given(st.data(), voxels)
@settings(max_examples=15)
def test_run_folder_round_trips(data: st.DataObject, voxel: VoxelSize) -> None:
    volumes = data.draw(st.lists(st.integers(0, 500), max_size=4, unique=True))
    made = [data.draw(outcomes(volume)) for volume in volumes]
    with tempfile.TemporaryDirectory() as folder:
        run = create_run(Path(folder) / "worm", {"recording": {"voxel_um": voxel}})
        save_outcomes(run, [one for one, _ in made], voxel, {one.volume: given for one, given in made})
        found = load_run(run.path)
    assert found.voxel_um == voxel
    assert list(found.annotations) == sorted(volumes)
    for outcome, identities in made:
        annotation = found.annotations[outcome.volume]
        neurons = Neurons.empty() if outcome.neurons is None else outcome.neurons
        assert annotation.flagged == (outcome.status != "ok")
        assert found.time_s[outcome.volume] == outcome.time_s
        assert_same(annotation.head, outcome.head)
        assert_same(annotation.regions, neurons.regions)
        np.testing.assert_allclose(annotation.centre_um, neurons.centre_px * np.array(voxel))
        np.testing.assert_equal(annotation.identity, identities.identity)
        np.testing.assert_equal(annotation.probability, identities.probability)


def test_difference_is_noticed() -> None:
    """The comparison that both properties rest on can fail."""
    one = Annotation.from_points(0, np.zeros((1, 3)))
    assert_same(one, Annotation.from_points(0, np.zeros((1, 3))))
    with pytest.raises(AssertionError):
        assert_same(one, Annotation.from_points(0, np.full((1, 3), 1e-9)))
