"""From simulated volumes to neurons, with the shipped weights: floors that a broken stage would fall through."""

from dataclasses import replace

import numpy as np
import pytest

from cender.config import Config, load_config
from cender.evaluate import evaluate_recording
from cender.io import create_run, load_run, save_outcomes
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector
from cender.pipeline.volumes.sequence import process_recording
from cender.pipeline.volumes.volume import annotate_outcome, process_volume
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotations, Outcome, Recording, Volume, VoxelSize

VOXEL = VoxelSize(1.5, 0.3, 0.3)


@pytest.fixture(scope="module")
def simulation():
    return simulate_recording(SimulateParams(preset="easy", seed=5600, volumes=30, shape=(18, 640, 640)))


@pytest.fixture(scope="module")
def found(simulation):
    return [find_neurons(simulation.recording, volume) for volume in (2, 16)]


def find_neurons(recording: Recording, volume: int) -> Outcome:
    config = Config()
    detector = build_detector(config.detect)
    return process_volume(recording.volume(volume, (0,)), load_compass(), detector, config.preprocess, config.merge)


def test_most_neurons_are_found_and_most_findings_are_neurons(simulation, found) -> None:
    truth = simulation.truth(range(2, 17, 14))
    predicted = Annotations("run", VOXEL, 5.0, {one.volume: annotate_outcome(one, VOXEL) for one in found})
    result = evaluate_recording(predicted, truth)
    assert result.detection_2d.f1 > 0.9
    assert result.detection_3d.f1 > 0.92
    assert result.centre.f1 > 0.94


def test_outcomes_survive_the_run_folder(simulation, found, tmp_path) -> None:
    run = create_run(tmp_path / "worm", {"recording": {"source": simulation.recording.source, "voxel_um": list(VOXEL)}})
    save_outcomes(run, found, VOXEL)
    loaded = load_run(tmp_path / "worm").annotations
    for one in found:
        said = annotate_outcome(one, VOXEL)
        np.testing.assert_allclose(loaded[one.volume].centre_um, said.centre_um, atol=1e-3)
        assert len(loaded[one.volume].regions) == len(said.regions)


def test_another_voxel_size_needs_no_other_weights(simulation) -> None:
    """The same animal on a grid of 0.4 µm and 1 µm steps."""
    params = replace_params(simulation.world.params, shape=(27, 480, 480), voxel_um=(1.0, 0.4, 0.4))
    other = simulate_recording(params)
    outcome = find_neurons(other.recording, 2)
    voxel = VoxelSize(*params.voxel_um)
    predicted = Annotations("run", voxel, 5.0, {2: annotate_outcome(outcome, voxel)})
    assert evaluate_recording(predicted, other.truth(range(2, 3))).centre.f1 > 0.85


def test_int8_finds_what_float32_finds(simulation) -> None:
    volume = simulation.recording.volume(16, (0,))
    config = Config()
    counts = {}
    for precision in ("float32", "int8"):
        detector = build_detector(load_config(None, [f"detect.precision={precision}"]).detect)
        outcome = process_volume(volume, load_compass(), detector, config.preprocess, config.merge)
        truth = simulation.truth(range(16, 17))
        predicted = Annotations("run", VOXEL, 5.0, {16: annotate_outcome(outcome, VOXEL)})
        counts[precision] = evaluate_recording(predicted, truth).detection_3d.f1
    assert abs(counts["int8"] - counts["float32"]) < 0.02


def test_a_blank_volume_is_an_outcome_and_the_run_goes_on(simulation) -> None:
    short = simulation.recording.limited(1, 3)
    broken = replace(
        short, read=lambda index, channels: short.read(index, channels) * np.uint16(0 if index == 0 else 1)
    )
    outcomes = list(process_recording(broken, Config()))
    assert outcomes[0].status == "failed"
    assert outcomes[0].reason
    assert outcomes[0].flags == ("blank",)
    assert outcomes[1].status != "failed"


@pytest.mark.parametrize("lacking", ["red", "voxel"])
def test_a_volume_that_lacks_something_says_so(lacking: str) -> None:
    stack = np.zeros((1, 4, 30, 30), np.uint16)
    volume = Volume(3, 0.5, stack, VOXEL if lacking == "red" else None, ("other",) if lacking == "red" else ("red",))
    outcome = process_volume(
        volume, load_compass(), lambda *_: pytest.fail("nothing is there"), Config().preprocess, Config().merge
    )
    assert outcome.status == "failed"
    assert lacking in outcome.reason
    assert outcome.flags == ("incomplete",)


def replace_params(params: SimulateParams, **changes: object) -> SimulateParams:
    return SimulateParams.model_validate({**params.model_dump(), **changes})
