"""Which volumes to annotate next: those like most others, then what is unlike them, never what is annotated."""

import numpy as np
import pytest

from cender.annotate.advice import give_advice
from cender.annotate.candidates import Candidates, SeenNeurons, SeenVolumes, find_annotated, lay_marks
from cender.annotate.coverage import list_shown, measure_cover
from cender.annotate.marks import Mark
from cender.annotate.postures import describe_postures
from cender.annotate.state import VolumeState
from cender.annotate.suggest import (
    MOST_ROWS,
    Suggestion,
    choose_rows,
    measure_doubt,
    suggest_neurons,
    suggest_volumes,
)


def make_candidates(count: int = 50, **columns: np.ndarray) -> Candidates:
    given = {
        "volume": np.arange(count),
        "time_s": np.arange(count) * 2.0,
        "neurons": np.full(count, 100),
        "refused": np.full(count, 10),
        "probability": np.full(count, 0.9),
        "quality": np.full(count, np.nan),
    }
    return Candidates(**(given | columns))


def suggest(
    candidates: Candidates, posture: np.ndarray | None = None, annotated: tuple[int, ...] = (), count: int = 5
) -> list[Suggestion]:
    row = choose_rows(candidates, annotated)
    shape = np.zeros((len(candidates), 2)) if posture is None else posture
    return suggest_volumes(candidates, row, shape[row], np.zeros((len(row), 0)), annotated, count)


def see_identities(shown: list[list[int]]) -> SeenNeurons:
    """Volumes 0, 1, … with these identities, all sure."""
    volume = np.repeat(np.arange(len(shown)), [len(one) for one in shown])
    identity = np.array([each for one in shown for each in one])
    count = len(identity)
    return SeenNeurons(volume, identity, np.ones(count), np.zeros((count, 3)), np.zeros(count, bool))


def test_an_identity_counts_as_often_as_it_is_seen_and_only_while_no_annotated_volume_shows_it() -> None:
    shown = list_shown(see_identities([[1, 2, 7], [1, 2], [1, -1]]), np.arange(3))
    np.testing.assert_allclose(measure_cover(shown, np.zeros(3)), [6 / 6, 5 / 6, 3 / 6])
    np.testing.assert_allclose(measure_cover(shown, shown[1]), [1 / 6, 0, 0])


def test_a_volume_that_shows_more_identities_is_suggested_before_one_that_lies_a_little_better() -> None:
    candidates = make_candidates(9, neurons=np.full(9, 20))
    posture = np.stack([np.arange(9.0), np.zeros(9)], axis=1)
    alike = [[each for each in range(20) if (each + volume) % 3] for volume in range(9)]
    alike[3] = list(range(20))
    row = choose_rows(candidates)
    without = suggest_volumes(candidates, row, posture, np.ones((9, 1)), count=1)
    assert without[0].volume == 4, "where all show the same, the posture decides"
    shown = list_shown(see_identities(alike), np.arange(9))
    first, second = suggest_volumes(candidates, row, posture, shown, count=2)
    assert first.volume == 3
    assert "shows identities of 100%" in first.reason
    assert "identities" not in second.reason.split(";")[0], "nothing is left to add"


def test_doubt_counts_refused_neurons_and_low_probabilities() -> None:
    candidates = make_candidates(
        4,
        neurons=np.array([100, 100, 100, 0]),
        refused=np.array([0, 50, 100, 0]),
        probability=np.array([0.8, 0.8, np.nan, np.nan]),
    )
    np.testing.assert_allclose(measure_doubt(candidates), [0.2, 0.6, 1.0, 0.0])


def three_postures() -> np.ndarray:
    """Half of 50 volumes straight, most others bent, the last four bent the other way."""
    posture = np.zeros((50, 2))
    posture[25:46, 0], posture[46:, 0] = 10.0, -10.0
    return posture


def test_suggested_volumes_cover_all_postures() -> None:
    chosen = [one.volume for one in suggest(make_candidates(), three_postures(), count=3)]
    assert chosen[0] < 25, "the most usual posture comes first"
    assert 25 <= chosen[1] < 46
    assert chosen[2] >= 46
    blind = [one.volume for one in suggest(make_candidates(), count=3)]
    assert not any(volume >= 46 for volume in blind), "which time alone does not find"


def test_what_is_annotated_counts_as_covered() -> None:
    first = suggest(make_candidates(), three_postures(), annotated=(3, 12, 20), count=1)[0]
    assert 25 <= first.volume < 46
    assert "nearest example for" in first.reason


def test_doubt_draws_the_choice() -> None:
    posture = np.zeros((50, 2))
    posture[30:40, 0], posture[40:, 0] = 10.0, -10.0
    for doubtful in (slice(30, 40), slice(40, 50)):
        refused = np.full(50, 5)
        refused[doubtful] = 60
        second = suggest(make_candidates(refused=refused), posture, count=2)[1]
        assert doubtful.start <= second.volume < doubtful.stop
        assert "60 of 100 neurons without identity, about 4 probably wrong, more than usual" in second.reason


def test_neighbours_in_time_are_not_all_suggested() -> None:
    chosen = sorted(one.volume for one in suggest(make_candidates(), count=4))
    assert min(np.diff(chosen)) >= 8
    # Two odd volumes side by side: only one of them, though each is unlike everything else.
    posture = np.zeros((50, 2))
    posture[20], posture[21] = (40.0, 0.0), (0.0, 40.0)
    odd = [one.volume for one in suggest(make_candidates(), posture, count=4)]
    assert len({20, 21} & set(odd)) == 1


def test_volumes_with_few_neurons_or_a_doubtful_head_come_last() -> None:
    neurons, quality = np.full(50, 100), np.full(50, 0.9)
    neurons[:12], quality[12:45] = 60, np.nan
    candidates = make_candidates(neurons=neurons, quality=quality)
    chosen = [one.volume for one in suggest(candidates, three_postures(), count=8)]
    assert set(chosen[:5]) == set(range(45, 50))
    assert all(12 <= volume < 45 for volume in chosen[5:])


def test_annotated_and_empty_volumes_are_never_suggested() -> None:
    neurons = np.full(50, 100)
    neurons[::2] = 0
    candidates = make_candidates(neurons=neurons, refused=np.zeros(50, int))
    chosen = {one.volume for one in suggest(candidates, annotated=(1, 3), count=50)}
    assert chosen == set(range(5, 50, 2))


def test_without_identities_the_spread_decides() -> None:
    candidates = make_candidates(refused=np.full(50, 100), probability=np.full(50, np.nan))
    chosen = sorted(one.volume for one in suggest(candidates, count=3))
    assert min(np.diff(chosen)) > 10
    assert "none of its 100 neurons" in suggest(candidates, count=1)[0].reason


def test_unknown_times_are_replaced_by_the_order_of_volumes() -> None:
    candidates = make_candidates(time_s=np.full(50, np.nan))
    chosen = [one.volume for one in suggest(candidates, count=3)]
    assert min(np.diff(sorted(chosen))) > 5


def test_long_recordings_are_thinned_but_keep_what_is_annotated() -> None:
    candidates = make_candidates(4000)
    row = choose_rows(candidates, [7])
    assert len(row) == MOST_ROWS + 1
    assert 7 in row
    assert 7 not in choose_rows(candidates)
    assert len(suggest(candidates, annotated=(7,), count=3)) == 3


def test_nothing_to_suggest() -> None:
    assert suggest(make_candidates(0)) == []
    assert suggest(make_candidates(3), annotated=(0, 1, 2)) == []


def bend(volumes: int, seed: int = 0) -> tuple[SeenNeurons, np.ndarray]:
    """A worm of 40 neurons that bends more and more, turned and shifted at random, with a few neurons missing."""
    rng = np.random.default_rng(seed)
    along = rng.uniform(-20, 20, 40)
    plain = np.stack([rng.normal(0, 3, 40), rng.normal(0, 3, 40), along], axis=1)
    bends = np.linspace(-0.02, 0.02, volumes)
    rows: list[tuple[int, int, np.ndarray]] = []
    for volume, bend in enumerate(bends):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))
        shape = plain + np.stack([0 * along, bend * along**2, 0 * along], axis=1)
        shape = shape @ turn + rng.normal(0, 50, 3)
        rows += [(volume, identity, shape[identity]) for identity in np.sort(rng.choice(40, 34, replace=False))]
    volume, identity, place = (np.array(column) for column in zip(*rows, strict=True))
    count = len(rows)
    return SeenNeurons(volume, identity, np.ones(count), place, np.zeros(count, bool)), bends


def test_posture_follows_the_bend_and_not_how_the_head_lies() -> None:
    neurons, bends = bend(30)
    posture = describe_postures(neurons, np.arange(30))
    assert abs(np.corrcoef(posture[:, 0], bends)[0, 1]) > 0.99
    rest = posture - np.outer(posture[:, 0], np.eye(posture.shape[1])[0])
    assert np.abs(rest).max() < 0.25 * np.ptp(posture[:, 0])


def test_postures_of_nameless_clouds_are_their_extent() -> None:
    neurons, _ = bend(6)
    nameless = SeenNeurons(
        neurons.volume, np.full(len(neurons.volume), -1), neurons.probability, neurons.centre_um, neurons.human
    )
    posture = describe_postures(nameless, np.arange(6))
    assert posture.shape == (6, 3)
    assert (posture[:, 0] > posture[:, 1]).all()


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
    after = lay_marks(neurons, states)
    mine = after.volume == 1
    human = dict(zip(after.identity[mine].tolist(), after.human[mine].tolist(), strict=True))
    assert human == {-1: False, 2: True, 1: True}
    assert not (after.volume == 2).any()
    assert (after.doubt[mine & after.human] == 0).all()
    assert find_annotated(after) == (1,)
    assert find_annotated(after, reviewed=[3]) == (1, 3)


def test_forecast_grows_with_every_volume_and_stays_below_all() -> None:
    neurons = make_neurons(20)
    volumes = SeenVolumes(np.arange(20), np.arange(20) * 10.0, np.ones(20))
    advice = [give_advice(volumes, neurons, count=count) for count in (1, 4)]
    assert advice[0].accuracy == advice[1].accuracy
    assert advice[0].accuracy < advice[0].forecast < advice[1].forecast <= 1
    assert all(one.gain > 0 for one in advice[1].volumes)


def test_what_people_said_of_volumes_that_the_run_lacks_is_left_out() -> None:
    rng = np.random.default_rng(0)
    seen = SeenNeurons(
        np.repeat(np.arange(4), 9),
        np.tile(np.arange(9), 4),
        np.full(36, 0.9),
        rng.normal(size=(36, 3)),
        np.zeros(36, bool),
    )
    volumes = SeenVolumes(np.arange(4), np.arange(4.0), np.ones(4))
    mark = Mark(key="h1", centre_um=(1.0, 2.0, 3.0), identity=3)
    more = lay_marks(seen, {9: VolumeState(volume=9, marks={"h1": mark})})
    assert 9 in more.volume
    assert give_advice(volumes, more).volumes == give_advice(volumes, seen).volumes
