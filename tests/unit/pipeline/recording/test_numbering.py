"""Numbers of identities that stay from one pass to the next."""

import numpy as np
import pytest

from cender.pipeline.recording.numbering import keep_numbers
from cender.types import Annotation, Identities

CENTRES = np.array([[0.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 20.0, 0.0]])


def name(*numbers: int) -> Identities:
    return Identities(np.array(numbers), np.full(len(numbers), 0.9))


def place(volume: int, *numbers: int, shift: float = 0.0) -> Annotation:
    return Annotation.from_points(volume, CENTRES[: len(numbers)] + shift, np.array(numbers))


def renumber(new: dict[int, Identities], old: list[Annotation], **more: frozenset[int]) -> dict[int, list[int]]:
    places = {volume: place(volume, *one.identity.tolist()) for volume, one in new.items()}
    return {volume: one.identity.tolist() for volume, one in keep_numbers(new, places, old, **more).items()}


def test_the_first_pass_numbers_from_zero() -> None:
    assert renumber({0: name(7, 9, -1), 1: name(9, 7, -1)}, []) == {0: [0, 1, -1], 1: [1, 0, -1]}


def test_the_same_places_keep_their_numbers_though_all_have_moved_a_little() -> None:
    old = [place(0, 4, 2, 8, shift=0.5), place(1, 4, 2, 8, shift=0.5)]
    assert renumber({0: name(0, 1, 2), 1: name(0, 1, 2)}, old) == {0: [4, 2, 8], 1: [4, 2, 8]}


def test_the_majority_decides() -> None:
    old = [place(volume, 4, 2, 8) for volume in range(3)]
    new = {0: name(0, 1, 2), 1: name(0, 1, 2), 2: name(1, 0, 2)}
    assert renumber(new, old)[0] == [4, 2, 8]
    assert renumber(new, old)[2] == [2, 4, 8]


def test_a_new_identity_gets_the_lowest_number_that_was_never_used() -> None:
    old = [place(0, 0, 2)]
    assert renumber({0: name(0, 1, 2)}, old) == {0: [0, 2, 1]}
    assert renumber({0: name(0, 1, 2)}, old, taken=frozenset({1})) == {0: [0, 2, 3]}


@pytest.mark.parametrize("again", [1, 2])
def test_doing_it_again_changes_nothing(again: int) -> None:
    rng = np.random.default_rng(again)
    first = {volume: name(*rng.permutation(3).tolist()) for volume in range(4)}
    once = renumber(first, [])
    old = [place(volume, *numbers) for volume, numbers in once.items()]
    assert renumber(first, old) == once


def test_numbers_of_people_stay_and_are_not_given_away() -> None:
    human = frozenset({1, 7})
    assert renumber({0: name(7, 3, 4)}, [place(0, 1, 5, 1)], human=human) == {0: [7, 5, 0]}
