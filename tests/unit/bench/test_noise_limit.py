"""The least noise with which a ratio can be measured."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from cender.bench.noise_limit import draw_limit, measure_information
from cender.simulate import SimulateParams, Simulation, simulate_recording
from cender.simulate.rendering import RED


def simulate(**camera: float) -> Simulation:
    values = {"seed": 5102, "volumes": 1, "shape": (9, 320, 320), "camera": camera}
    return simulate_recording(SimulateParams.model_validate(values))


def test_without_noise_the_limit_is_the_truth() -> None:
    quiet = simulate(gain=1e-9, read_noise=1e-6)
    known = quiet.annotate(0)
    true = quiet.ratios(0)
    assert draw_limit(quiet, known) == pytest.approx({one: true[one] for one in known.identity.tolist()}, rel=1e-3)
    noisy = simulate()
    assert draw_limit(noisy, noisy.annotate(0)) != pytest.approx(
        {one: true[one] for one in known.identity.tolist()}, rel=1e-3
    )


def test_neighbours_that_overlap_cost_precision() -> None:
    simulation = simulate()
    known = simulation.annotate(0)
    information = measure_information(simulation.world, known, RED)
    together = np.diag(np.linalg.inv(information))
    alone = 1 / np.diag(information)
    nearest = cKDTree(known.centre_um).query(known.centre_um, 2)[0][:, 1]
    lost = together / alone
    assert (lost >= 1 - 1e-6).all()
    assert lost[nearest.argmin()] > 1.02
    assert lost[nearest.argmax()] < lost[nearest.argmin()]
