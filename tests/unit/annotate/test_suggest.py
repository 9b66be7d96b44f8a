"""Which volumes to annotate next: doubt first, spread in time and posture, never what is annotated."""

import numpy as np
import pytest

from cender.annotate.advice import give_advice
from cender.annotate.candidates import (
    Candidates,
    SeenNeurons,
    SeenVolumes,
    describe_posture,
    find_annotated,
    lay_marks,
)
from cender.annotate.marks import Mark
from cender.annotate.state import VolumeState
from cender.annotate.suggest import measure_doubt, suggest_neurons, suggest_volumes
from cender.types import Crop, Head


def make_candidates(count: int = 50, **columns: np.ndarray) -> Candidates:
    given = {
        "volume": np.arange(count),
        "time_s": np.arange(count) * 2.0,
        "neurons": np.full(count, 100),
        "refused": np.full(count, 10),
        "probability": np.full(count, 0.9),
        "quality": np.full(count, np.nan),
        "posture": np.zeros((count, 4)),
    }
    return Candidates(**(given | columns))


def make_head(anterior_yx: tuple[float, float], ventral_yx: tuple[float, float]) -> Head:
    none = np.zeros((0, 2))
    return Head(Crop(0, 0, 9, 9), none, np.zeros(2), np.array(anterior_yx), np.array(ventral_yx))


def test_doubt_counts_refused_neurons_and_low_probabilities() -> None:
    candidates = make_candidates(
        4,
        neurons=np.array([100, 100, 100, 0]),
        refused=np.array([0, 50, 100, 0]),
        probability=np.array([0.8, 0.8, np.nan, np.nan]),
    )
    np.testing.assert_allclose(measure_doubt(candidates), [0.2, 0.6, 1.0, 0.0])


def test_the_least_sure_volume_comes_first() -> None:
    plain = make_candidates()
    refused = plain.refused.copy()
    refused[31] = 60
    assert suggest_volumes(plain, count=1)[0].volume != 31
    first = suggest_volumes(make_candidates(refused=refused), count=1)[0]
    assert first.volume == 31
    assert "60 of 100 neurons without an identity" in first.reason
    assert first.doubt == pytest.approx(0.64)


def test_the_first_of_all_is_clear_and_full() -> None:
    quality, neurons, refused = np.full(50, 0.8), np.full(50, 100), np.full(50, 10)
    quality[[4, 30]], neurons[30:45], refused[12] = (0.99, 0.95), 120, 90
    candidates = make_candidates(quality=quality, neurons=neurons, refused=refused)
    chosen = suggest_volumes(candidates, count=2)
    assert [one.volume for one in chosen] == [30, 12]
    assert chosen[0].reason.startswith("a clear head with more neurons than most")
    assert suggest_volumes(candidates, annotated=[40], count=1)[0].volume == 12


def test_neighbours_of_a_bad_moment_are_not_all_suggested() -> None:
    refused = np.full(50, 10)
    refused[20:25] = 60
    chosen = [one.volume for one in suggest_volumes(make_candidates(refused=refused), count=4)]
    assert len(set(chosen) & set(range(20, 25))) < 4
    assert min(np.diff(sorted(chosen))) >= 3


def test_another_posture_is_preferred_at_equal_doubt() -> None:
    posture = np.zeros((50, 4))
    posture[:, 1] = 1.0
    posture[40] = [0.0, -1.0, 0.0, 0.0]
    annotated = (5,)
    without = [one.volume for one in suggest_volumes(make_candidates(), annotated, count=1)]
    with_posture = [one.volume for one in suggest_volumes(make_candidates(posture=posture), annotated, count=1)]
    assert without != [40]
    assert with_posture == [40]


def test_annotated_and_empty_volumes_are_never_suggested() -> None:
    neurons = np.full(50, 100)
    neurons[::2] = 0
    candidates = make_candidates(neurons=neurons, refused=np.zeros(50, int))
    chosen = {one.volume for one in suggest_volumes(candidates, annotated=[1, 3], count=50)}
    assert chosen == set(range(5, 50, 2))


def test_without_identities_the_spread_decides() -> None:
    candidates = make_candidates(refused=np.full(50, 100), probability=np.full(50, np.nan))
    chosen = sorted(one.volume for one in suggest_volumes(candidates, count=3))
    assert min(np.diff(chosen)) > 10
    assert "none of its 100 neurons" in suggest_volumes(candidates, count=1)[0].reason


def test_unknown_times_are_replaced_by_the_order_of_volumes() -> None:
    candidates = make_candidates(time_s=np.full(50, np.nan))
    chosen = [one.volume for one in suggest_volumes(candidates, count=3)]
    assert min(np.diff(sorted(chosen))) > 5


def test_nothing_to_suggest() -> None:
    assert suggest_volumes(make_candidates(0)) == []
    assert suggest_volumes(make_candidates(3), annotated=[0, 1, 2]) == []


def test_posture_tells_direction_and_arc() -> None:
    along = np.linspace(-20, 20, 30)
    straight = np.stack([np.zeros(30), np.zeros(30), along], axis=1)
    bent = straight + np.stack([np.zeros(30), 0.02 * along**2, np.zeros(30)], axis=1)
    head = make_head((0.0, 1.0), (1.0, 0.0))
    assert abs(describe_posture(straight, head)[2]) < 1e-6
    assert describe_posture(bent, head)[2] > 0.1
    turned = make_head((0.0, -1.0), (-1.0, 0.0))
    np.testing.assert_allclose(describe_posture(bent, turned)[:2], [0, -1])
    np.testing.assert_allclose(describe_posture(bent, turned)[2], -describe_posture(bent, head)[2])
    assert not describe_posture(bent, None).any()


def make_neurons(volumes: int = 4) -> SeenNeurons:
    """Three neurons in every volume: a sure one, one that is in doubt everywhere, one without a number."""
    volume = np.repeat(np.arange(volumes), 3)
    identity = np.tile([1, 2, -1], volumes)
    probability = np.tile([0.99, 0.5, np.nan], volumes)
    probability[4] = 0.3
    places = np.stack([np.zeros(3 * volumes), np.tile([0.0, 20.0, 40.0], volumes), np.zeros(3 * volumes)], axis=1)
    return SeenNeurons(volume, identity, probability, places, np.zeros(3 * volumes, bool))


def test_neuron_in_doubt_is_shown_where_it_is_worst() -> None:
    first, second = suggest_neurons(make_neurons(), count=5)
    assert (first.identity, first.volume, first.row) == (2, 1, 1)
    assert second.identity == 1
    assert first.gain == pytest.approx((3 * 0.5 + 0.7) / 12)


def test_marks_of_people_end_doubt() -> None:
    neurons = make_neurons()
    marks = {
        "m1": Mark(key="m1", anchor_um=(0.0, 20.0, 0.0), identity=2),
        "m2": Mark(key="m2", anchor_um=(0.0, 40.0, 0.0), removed=True),
        "h0": Mark(key="h0", centre_um=(0.0, 60.0, 0.0), identity=1),
    }
    states = {1: VolumeState(volume=1, marks=marks), 2: VolumeState(volume=2, unusable="dark")}
    after = lay_marks(neurons, (1.0, 1.0, 1.0), states)
    mine = after.volume == 1
    human = dict(zip(after.identity[mine].tolist(), after.human[mine].tolist(), strict=True))
    assert human == {-1: False, 2: True, 1: True}
    assert not (after.volume == 2).any()
    assert (after.doubt[mine & after.human] == 0).all()
    assert find_annotated(after) == (1,)
    assert find_annotated(after, reviewed=[3]) == (1, 3)


def test_forecast_grows_with_every_volume_and_stays_below_all() -> None:
    neurons = make_neurons(20)
    heads: tuple[None, ...] = (None,) * 20
    volumes = SeenVolumes(np.arange(20), np.arange(20) * 10.0, np.ones(20), heads)
    advice = [give_advice(volumes, neurons, count=count) for count in (1, 4)]
    assert advice[0].accuracy == advice[1].accuracy
    assert advice[0].accuracy < advice[0].forecast < advice[1].forecast <= 1
    assert all(one.gain > 0 for one in advice[1].volumes)
