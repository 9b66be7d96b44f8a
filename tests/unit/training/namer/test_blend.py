"""Animals between two animals."""

import numpy as np
import pytest

from cender.training.namer import blend
from cender.training.namer.blend import blend_specimen, collect_places
from cender.training.namer.vary import MIRROR, Specimen

COUNT = 14
PARTNER = np.arange(COUNT)


def make_specimen(shift: np.ndarray, unnamed: np.ndarray | None = None) -> Specimen:
    """Cells in a row along x, 0.1 apart, and a neuron without a name where wanted."""
    place = np.column_stack([np.full(COUNT, 0.05), np.zeros(COUNT), 0.1 * np.arange(COUNT)]) + shift
    label = np.arange(COUNT)
    if unnamed is not None:
        place, label = np.vstack([place, unnamed]), np.append(label, -1)
    return Specimen(place + 1.0, place, np.zeros((len(place), 16)), label)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blend, "BLENDED", 1.0)
    monkeypatch.setattr(blend, "MOVED", 0.0)


@pytest.mark.usefixtures("always")
def test_cells_lie_between_two_animals_and_the_nameless_follow_their_neighbours() -> None:
    offset = np.tile([0.0, 0.05, 0.0], (COUNT, 1))
    own, other = make_specimen(np.zeros((COUNT, 3)), np.array([0.05, 0.01, 0.5])), make_specimen(offset)
    places = collect_places([other], PARTNER)
    for seed in range(8):
        found = blend_specimen(own, places, np.random.default_rng(seed))
        moved = found.unbent - own.unbent
        np.testing.assert_allclose(found.position - own.position, moved)
        if seed and moved[:COUNT].any() and abs(moved[0, 0]) < 1e-9:
            assert ((moved[:COUNT, 1] > 0) & (moved[:COUNT, 1] < 0.05)).all()
            assert 0.3 * moved[0, 1] < moved[COUNT, 1] <= moved[0, 1]
            return
    pytest.fail("no seed led to the animal itself instead of its mirror image")


@pytest.mark.usefixtures("always")
def test_a_name_far_off_moves_nothing() -> None:
    offset = np.zeros((COUNT, 3))
    offset[3, 1] = 0.5
    own, other = make_specimen(np.zeros((COUNT, 3))), make_specimen(offset)
    places = collect_places([other], PARTNER)
    for seed in range(8):
        assert abs((blend_specimen(own, places, np.random.default_rng(seed)).unbent - own.unbent)[3, 1]) < 0.01


def test_some_cells_go_where_another_animal_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blend, "BLENDED", 0.0)
    own, other = make_specimen(np.zeros((COUNT, 3))), make_specimen(np.tile([0.0, 0.07, 0.0], (COUNT, 1)))
    places = collect_places([other], PARTNER)
    monkeypatch.setattr(blend, "MOVED", 0.0)
    still = blend_specimen(own, places, np.random.default_rng(0))
    np.testing.assert_array_equal(still.unbent, own.unbent)
    monkeypatch.setattr(blend, "MOVED", 1.0)
    moved = blend_specimen(own, places, np.random.default_rng(0)).unbent[:, 1]
    assert set(np.round(moved, 6)) == {0.0, 0.07}


def test_mirror_images_have_the_cells_of_the_other_side() -> None:
    partner = PARTNER.copy()
    partner[[0, 1]] = 1, 0
    own = make_specimen(np.zeros((COUNT, 3)))
    place = collect_places([own], partner).place
    np.testing.assert_allclose(place[0], own.unbent)
    np.testing.assert_allclose(place[1, 1], own.unbent[0] * MIRROR)
    np.testing.assert_allclose(place[1, 2], own.unbent[2] * MIRROR)
