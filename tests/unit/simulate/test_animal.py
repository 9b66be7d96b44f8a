"""Animals differ by seed, yet the same neuron lies at a similar place in all of them."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import cKDTree

from cases.simulations import simulate
from cender.simulate.animal import Animal, spread_apart
from cender.simulate.ganglia import CLOSEST_UM, make_species


@cache
def make_animal(seed: int) -> Animal:
    return simulate(seed).world.animal


def make_animals(count: int = 12) -> list[Animal]:
    return [make_animal(seed) for seed in range(count)]


def test_animals_have_140_to_190_neurons_and_differ() -> None:
    animals = make_animals(30)
    counts = [len(animal) for animal in animals]
    assert min(counts) >= 140
    assert max(counts) <= 190
    assert len(set(counts)) > 10
    assert not any(np.array_equal(a.adl_um, b.adl_um) for a, b in pairwise(animals))


def test_average_animal_is_always_the_same() -> None:
    assert np.array_equal(make_species.__wrapped__().adl_um, make_species().adl_um)
    assert len(make_species()) >= 140


def test_identities_correspond_across_animals() -> None:
    first, *others = make_animals()
    for other in others:
        common, one, two = np.intersect1d(first.identity, other.identity, return_indices=True)
        assert len(common) > 80
        # Animals are longer or shorter than each other as a whole; what is left is a neuron's own.
        own = measure_misfit(first.adl_um[one], other.adl_um[two])
        others_place = measure_misfit(first.adl_um[one], other.adl_um[np.roll(two, 40)])
        assert own < 4 < 8 < others_place


def measure_misfit(points: np.ndarray, targets: np.ndarray) -> float:
    """Median distance after the best shift and scaling along each axis of the body."""
    fitted = [np.polyval(np.polyfit(a, b, 1), a) for a, b in zip(points.T, targets.T, strict=True)]
    return float(np.median(np.linalg.norm(np.stack(fitted, axis=1) - targets, axis=1)))


def test_variation_knob_moves_neurons_away_from_the_average() -> None:
    away = []
    for variation_um in (0.2, 3.0):
        animal = simulate(anatomy={"variation_um": variation_um, "scale_sd": 0.0}).world.animal
        away.append(np.linalg.norm(animal.adl_um - make_species().adl_um[animal.identity], axis=1).mean())
    assert away[0] < 1.5 < 3 < away[1]


def test_crowded_animals_have_the_neighbours_of_real_heads() -> None:
    def nearest(preset: str) -> np.ndarray:
        animals = [simulate(seed, preset=preset).world.animal.adl_um for seed in range(8)]
        return np.percentile(
            np.concatenate([cKDTree(places).query(places, k=2)[0][:, 1] for places in animals]), [1, 5, 25, 50]
        )

    crowded = nearest("crowded")
    assert (nearest("typical") > crowded).all()
    assert (crowded >= [1.2, 1.6, 2.4, 3.0]).all()
    assert (crowded <= [1.6, 2.0, 2.8, 3.4]).all()


def test_labelling_may_show_more_than_the_average_animal_has() -> None:
    animal = simulate(3, anatomy={"neurons": (250, 250)}).world.animal
    assert len(animal) == 250 > len(make_species())
    assert len(np.unique(animal.identity)) == 250


def test_nuclei_do_not_lie_in_each_other() -> None:
    for animal in make_animals():
        nearest = cKDTree(animal.adl_um).query(animal.adl_um, k=2)[0][:, 1]
        assert nearest.min() > 0.7 * CLOSEST_UM


def test_spread_apart_moves_only_what_is_too_close() -> None:
    points = np.array([[0.0, 0, 0], [1.0, 0, 0], [50.0, 0, 0]])
    moved = spread_apart(points, 3.0)
    assert np.linalg.norm(points[0] - points[1]) < 3
    assert np.linalg.norm(moved[0] - moved[1]) == pytest.approx(3.0)
    assert np.array_equal(moved[2], points[2])


def test_nuclei_are_bells_and_flat_tops() -> None:
    flat = np.concatenate([animal.flat_z for animal in make_animals()])
    assert flat.min() < 2.3
    assert flat.max() > 4.5


def test_most_neurons_come_in_pairs() -> None:
    species = make_species()
    mirrored = species.adl_um * (1, 1, -1)
    away = cKDTree(species.adl_um).query(mirrored)[0]
    assert (away < 2.5).mean() > 0.7
