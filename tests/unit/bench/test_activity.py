"""The benchmark of activity, on an animal small enough for a test."""

import numpy as np
import pytest

from cender.activity import ActivityParams
from cender.bench import activity
from cender.simulate import SimulateParams, simulate_recording


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bright and lively animal of the tuning seeds, a few frames deep."""

    def draw(params: SimulateParams) -> object:
        values = {"preset": params.preset, "seed": 5100, "volumes": params.volumes, "shape": (7, 384, 384)}
        lively = {"active": 1.0, "amplitude": (2.0, 4.0)}
        bright = {"peak_counts": 300.0}
        return simulate_recording(SimulateParams.model_validate({**values, "optics": bright, "activity": lively}))

    monkeypatch.setattr(activity, "simulate_recording", draw)


@pytest.mark.usefixtures("small")
def test_true_activity_is_followed() -> None:
    seen = []
    figures = activity.measure_activity(SimulateParams(), 1, 8, ActivityParams(), lambda: seen.append(1))
    assert len(seen) == 8
    assert figures["varying"] >= 5
    assert 0.9 < figures["correlation"] <= figures["correlation_limit"] + 0.02 < 1.02
    assert figures["correlation_smooth"] != figures["correlation"]
    assert figures["smooth_s"] == 0.5
    assert figures["map_error_px"] < 0.6
    assert figures["maps_trusted"] == 1
    assert 0.9 < figures["valid"] <= 1


def test_neurons_of_an_annotation() -> None:
    params = SimulateParams.model_validate({"seed": 5101, "volumes": 1, "shape": (7, 256, 256)})
    simulation = simulate_recording(params)
    known = simulation.annotate(0)
    neurons = activity.make_neurons(known, simulation.recording.volume(0).stack)
    assert len(neurons) == len(known) > 5
    assert neurons.centre_px * params.voxel_um == pytest.approx(known.centre_um)
    deep = [neurons.regions.z[neurons.regions.neuron == row] for row in range(len(neurons))]
    assert neurons.z_first.tolist() == [int(np.min(z)) for z in deep]
    assert neurons.z_last.tolist() == [int(np.max(z)) for z in deep]
