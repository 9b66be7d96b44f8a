"""Marks find their neurons again by place, whatever number a later run gives them."""

import numpy as np

from cender.annotate import Mark, join_volume

FOUND = np.array([[1.0, 0, 0], [1.0, 10, 0], [1.0, 20, 0]])


def keys(found: np.ndarray, *marks: Mark) -> list[tuple[str, int | None]]:
    return [(one.key, one.row) for one in join_volume(found, marks)]


def test_a_neuron_keeps_its_key_when_another_run_numbers_it_otherwise() -> None:
    mark = Mark(key="m1", anchor_um=(1, 10, 0), identity=17)
    assert keys(FOUND, mark) == [("m0", 0), ("m1", 1), ("m2", 2)]
    assert keys(FOUND[[1, 0, 2]], mark) == [("m1", 0), ("m1.2", 1), ("m2", 2)], "number 1 is another neuron now"


def test_a_moved_neuron_is_known_by_where_the_machine_sees_it() -> None:
    mark = Mark(key="m1", anchor_um=(1, 10, 0), centre_um=(1, 14, 0))
    assert keys(FOUND, mark) == [("m0", 0), ("m1", 1), ("m2", 2)]


def test_neurons_that_only_people_saw_stand_for_themselves() -> None:
    new = Mark(key="h7", centre_um=(5, 5, 5), identity=3)
    lost = Mark(key="m9", anchor_um=(9, 9, 9), identity=4)
    gone = Mark(key="m8", anchor_um=(8, 30, 30), removed=True)
    assert keys(FOUND, new, lost, gone)[3:] == [("h7", None), ("m9", None)]
    assert keys(np.zeros((0, 3)), new) == [("h7", None)]
    assert keys(FOUND) == [("m0", 0), ("m1", 1), ("m2", 2)]


def test_imported_points_a_frame_beside_the_light_belong_to_the_neurons_of_the_machine() -> None:
    rng = np.random.default_rng(0)
    found = rng.uniform(0, [24, 30, 60], (60, 3))
    place = found + np.array([2.2, 0.0, 0.0]) + rng.normal(0, 0.2, found.shape)
    marks = [Mark(key=f"h{row}", centre_um=tuple(one), identity=row) for row, one in enumerate(place.tolist())]
    held = [one for one in join_volume(found, marks) if one.row is not None and one.mark is not None]
    assert len(held) >= 57
    assert sum(one.mark.identity == one.row for one in held if one.mark) >= 57
    # Where the machine saw a neuron is exact: such marks are not shifted with the others.
    touched = Mark(key="m3", anchor_um=tuple(found[3].tolist()), identity=99)
    assert ("m3", 3) in keys(found, *marks[:3], touched, *marks[4:])
