"""Volumes as lessons: which classes they teach, in which pose."""

from dataclasses import replace

import numpy as np
import pytest

from cases.constellations import film_head, make_head
from cender.errors import DataError
from cender.recognize.model import Recognition
from cender.training.recognizer.lessons import (
    add_numbers,
    align_lessons,
    gather_lessons,
    hash_volumes,
    keep_classes,
    number_rest,
    read_lesson,
    refuse_twins,
    shift_none,
    trust_classes,
)

FILM = film_head(make_head(30), 6)
IDENTITIES = np.unique(np.concatenate([one.identity[one.identity >= 0] for one in FILM]))
NONE = len(IDENTITIES)


def test_an_unnamed_neuron_is_none_only_where_every_neuron_was_looked_at() -> None:
    unnamed = FILM[0].identity < 0
    assert unnamed.any()
    whole, part = (read_lesson(replace(FILM[0], complete=full), IDENTITIES) for full in (True, False))
    assert set(whole.cloud.label[unnamed].tolist()) == {NONE}
    assert set(part.cloud.label[unnamed].tolist()) == {-1}
    assert (IDENTITIES[whole.cloud.label[~unnamed]] == FILM[0].identity[~unnamed]).all()


def name_first(probability: np.ndarray) -> np.ndarray:
    """What the first volume teaches when its identities, of which the first neuron has none, are this probable."""
    count = len(FILM[0])
    classes = np.arange(count)
    classes[0] = -1
    nothing = np.zeros((count, 4))
    return trust_classes(
        FILM[0], Recognition(nothing[:, :3], classes, probability, nothing, nothing, nothing)
    ).cloud.label


def test_improbable_names_teach_nothing_and_no_name_never_does() -> None:
    count = len(FILM[0])
    label = name_first(np.where(np.arange(count) < 5, 0.1, 0.9))
    assert set(label[:5].tolist()) == {-1}
    assert (label[5:] == np.arange(5, count)).all()


def test_where_all_names_are_unsure_the_better_half_still_teaches() -> None:
    count = len(FILM[0])
    label = name_first(np.linspace(0.1, 0.4, count))
    assert (label >= 0).sum() == pytest.approx(count / 2, abs=1)
    assert (label[label >= 0] == np.arange(count)[label >= 0]).all()


def test_neurons_of_classes_that_are_given_up_are_unknown() -> None:
    label = np.array([-1, 0, 1, 2, 3, 4])
    assert keep_classes(label, np.array([1, 3]), 4).tolist() == [-1, -1, 0, -1, 1, 2]


def test_unnamed_neurons_of_the_best_volume_get_free_numbers() -> None:
    few = [replace(one, identity=np.where(one.identity < 12, one.identity, -1)) for one in FILM[:3]]
    best = max(int((one.identity >= 0).sum()) for one in few)
    first, *others = number_rest(few)
    assert len(set(first.identity.tolist())) == len(first)
    assert (first.identity[first.identity < 12] >= 0).sum() == best
    assert len(others) == 2


def measure_spread(lessons: list) -> float:
    """How far the same neurons of all lessons lie from each other."""
    position = gather_lessons(lessons, NONE).position
    return float(np.nanmean(np.nanstd(position[:, ~np.isnan(position).all(axis=(0, 2))], axis=0)))


def test_all_lessons_are_turned_to_one_pose() -> None:
    lessons = [read_lesson(one, IDENTITIES) for one in FILM]
    turned = [
        replace(one, cloud=replace(one.cloud, position=one.cloud.position * ((1, -1, -1) if row % 2 else (1, 1, 1))))
        for row, one in enumerate(lessons)
    ]
    assert measure_spread(turned) > 2 * measure_spread(align_lessons(turned, NONE))


def test_new_numbers_are_free_ones() -> None:
    assert add_numbers(np.array([4, 9]), 2).tolist() == [4, 9, 10, 11]
    assert add_numbers(np.zeros(0, int), 2).tolist() == [0, 1]


def test_none_moves_behind_new_classes() -> None:
    assert shift_none(np.array([-1, 0, 4, 5, 6, 7]), 5, 7).tolist() == [-1, 0, 4, 7, 5, 6]


def test_an_identity_twice_is_refused() -> None:
    refuse_twins(FILM[0])
    twins = replace(FILM[0], identity=np.full(len(FILM[0]), 3))
    with pytest.raises(DataError, match=f"volume 0: .* found 3 {len(twins)} times"):
        refuse_twins(twins)


def test_other_volumes_have_another_hash() -> None:
    moved = replace(FILM[1], centre_um=FILM[1].centre_um + 1e-9)
    assert hash_volumes(FILM[:2]) == hash_volumes(list(FILM[:2]))
    assert hash_volumes(FILM[:2]) != hash_volumes([FILM[0], moved])
