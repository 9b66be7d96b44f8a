"""Points made worse on purpose, so that identities can be measured on what a detector gives."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from cases.recognition import NEAREST, make_truth
from cases.simulations import simulate
from cender.bench.identity.corruption import Corruption, corrupt_subject, corrupt_volume
from cender.bench.identity.data import choose_volumes, make_subject, open_points
from cender.bench.identity.measure import measure_identity_bench
from cender.errors import DataError

SUBJECT = make_subject(make_truth(neurons=40))
ROUGH = Corruption(0.2, 0.3, 0.5)


def test_nothing_changes_without_corruption() -> None:
    assert corrupt_subject(SUBJECT, Corruption(), 0) is SUBJECT


def test_shares_are_as_asked_and_the_same_for_the_same_seed() -> None:
    one, again, other = (corrupt_subject(SUBJECT, ROUGH, seed) for seed in (1, 1, 2))
    true = sum(int((volume.identity >= 0).sum()) for volume in one.taught.values())
    before = sum(int((volume.identity >= 0).sum()) for volume in SUBJECT.taught.values())
    points = sum(len(volume) for volume in one.taught.values())
    assert true / before == pytest.approx(0.8, abs=0.03)
    assert points / (0.8 * 40 * 60) == pytest.approx(1.3, abs=0.03)
    np.testing.assert_array_equal(one.taught[7].centre_um, again.taught[7].centre_um)
    assert one.taught[7].centre_um.shape != other.taught[7].centre_um.shape or not np.allclose(
        one.taught[7].centre_um, other.taught[7].centre_um
    )
    assert all((volume.identity == -1).all() for volume in one.seen.values())


def test_spurious_points_lie_near_and_have_no_identity() -> None:
    volume = SUBJECT.taught[0]
    worse = corrupt_volume(volume, Corruption(spurious=0.5), np.random.default_rng(0))
    distance = cdist(worse.centre_um, volume.centre_um).min(axis=1)
    added = distance > 1e-9
    assert added.sum() == len(worse) - len(volume) > 0
    assert (distance[added] <= 3.0).all()
    assert (worse.identity[added] == -1).all()
    assert (np.bincount(worse.identity[worse.identity >= 0]) <= 1).all()


def test_regions_follow_their_neurons() -> None:
    volume = next(iter(simulate().truth().annotations.values()))
    worse = corrupt_volume(volume, Corruption(drop=0.3, spurious=0.3), np.random.default_rng(0))
    for identity in np.intersect1d(worse.identity, volume.identity)[1:]:
        then = volume.regions.select(volume.regions.neuron == np.flatnonzero(volume.identity == identity)[0])
        now = worse.regions.select(worse.regions.neuron == np.flatnonzero(worse.identity == identity)[0])
        np.testing.assert_array_equal(then.box_px, now.box_px)
    assert 0 < len(worse.regions) < len(volume.regions)


def test_dropped_neurons_are_not_missed_but_jitter_costs() -> None:
    def measure(corruption: Corruption) -> float:
        worse = corrupt_subject(SUBJECT, corruption, 0)
        return measure_identity_bench([worse], NEAREST, 1, "random").average("accuracy") or 0.0

    assert measure(Corruption()) == 1.0
    assert measure(Corruption(drop=0.4)) == 1.0
    assert measure(Corruption(jitter_um=8.0)) < 0.9


def test_volumes_can_be_bounded() -> None:
    some = choose_volumes(SUBJECT, slice(10, 20, 2))
    assert list(some.truth.annotations) == [10, 12, 14, 16, 18]
    assert some.truth.annotations is some.taught
    with pytest.raises(DataError, match="none of these"):
        choose_volumes(SUBJECT, slice(100, 200))


def test_points_in_pixels_need_the_size_of_a_voxel(tmp_path: Path) -> None:
    points = np.arange(24, dtype=float).reshape(2, 4, 3)
    points[1, 2] = np.nan
    np.savez(tmp_path / "points.npz", points_xyz=points)
    with pytest.raises(DataError, match="voxel_um"):
        open_points(tmp_path / "points.npz")
    truth = open_points(tmp_path / "points.npz", voxel_um=(2.0, 0.5, 1.0))
    np.testing.assert_array_equal(truth.annotations[1].identity, [0, 1, 3])
    np.testing.assert_array_equal(truth.annotations[0].centre_um[1], [10.0, 2.0, 3.0])
