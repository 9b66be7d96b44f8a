"""Red and green brought together."""

from dataclasses import replace

import numpy as np
import pytest

from cender.activity import ActivityParams, ChannelMap, estimate_channel_map
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Regions, Volume
from unit.activity.scenes import make_scene

PARAMS = ActivityParams()


def draw_volumes(moved: tuple[float, float], count: int = 4) -> list[Volume]:
    return [make_scene(18, moved, noise=6.0, seed=seed).draw(seed=seed) for seed in range(count)]


def estimate(volumes: list[Volume], params: ActivityParams) -> ChannelMap:
    return estimate_channel_map([volume.stack for volume in volumes], params)


@pytest.mark.parametrize("moved", [(0.0, 0.0), (3.4, -6.7), (-14.0, 11.5)])
def test_shift_is_found(moved: tuple[float, float]) -> None:
    found = estimate(draw_volumes(moved), PARAMS)
    assert (found.source, found.trusted, found.shift_z) == ("estimated", True, 0)
    corners = np.array([[20.0, 20.0], [140.0, 20.0], [80.0, 140.0]])
    assert found.move_points(corners) == pytest.approx(corners + moved, abs=0.5)
    assert found.residual_px < 0.6
    assert found.residual_um == pytest.approx(0.3 * found.residual_px)
    assert found.quality > 0.8


def test_rotation_of_simulated_cameras_is_found() -> None:
    params = SimulateParams.model_validate({"preset": "typical", "seed": 5007, "volumes": 60, "shape": (12, 512, 512)})
    simulation = simulate_recording(params)
    volumes = [simulation.recording.volume(index) for index in (5, 25, 45)]
    found = estimate(volumes, PARAMS)
    points = simulation.annotate(25).regions.centre_px[:, 1:]
    true = points @ simulation.world.green_map[:, :2].T + simulation.world.green_map[:, 2]
    assert np.median(np.linalg.norm(points - true, axis=1)) > 1.5, "unmapped, green lies elsewhere"
    assert np.median(np.linalg.norm(found.move_points(points) - true, axis=1)) < 0.4
    assert found.trusted


def test_shift_along_z_is_found() -> None:
    volumes = [
        replace(volume, data=np.stack([volume.data[0], np.roll(volume.data[1], 1, axis=0)]))
        for volume in draw_volumes((2.0, 1.0))
    ]
    assert estimate(volumes, PARAMS).shift_z == 1


def test_channels_that_have_nothing_in_common_are_left_alone_and_said_so(caplog: pytest.LogCaptureFixture) -> None:
    rng = np.random.default_rng(0)
    volumes = []
    for number, volume in enumerate(draw_volumes((0.0, 0.0))):
        noise = rng.normal(100, 8, volume.data[1].shape).astype(np.uint16)
        volumes.append(replace(volume, index=number, data=np.stack([volume.data[0], noise])))
    found = estimate(volumes, PARAMS)
    assert (found.source, found.trusted) == ("identity", False)
    assert np.array_equal(found.matrix_yx, np.eye(2, 3))
    assert "activity.red_to_green" in found.reason
    assert "taken as aligned" in caplog.text


def test_a_residual_that_is_too_large_is_refused() -> None:
    volumes = draw_volumes((3.0, 3.0))
    good = estimate(volumes, PARAMS)
    strict = ActivityParams(largest_residual_px=0.5 * good.residual_px)
    found = estimate(volumes, strict)
    assert not found.trusted
    assert "px apart" in found.reason
    assert found.residual_px == pytest.approx(good.residual_px)


def test_a_mirrored_channel_is_refused() -> None:
    volumes = [
        replace(volume, data=np.stack([volume.data[0], volume.data[1, :, :, ::-1]]))
        for volume in draw_volumes((0.0, 0.0))
    ]
    assert not estimate(volumes, PARAMS).trusted


@pytest.mark.parametrize("role", ["red", "green"])
def test_one_channel_needs_no_map(role: str) -> None:
    volumes = [make_scene().draw((role,))]  # type: ignore[arg-type]
    found = estimate(volumes, PARAMS)
    assert (found.source, found.trusted) == ("identity", True)
    assert found.reason
    assert estimate([], PARAMS).source == "identity"


def test_blank_channel_is_not_trusted() -> None:
    volumes = [replace(volume, data=np.full_like(volume.data, 100)) for volume in draw_volumes((0.0, 0.0), 2)]
    found = estimate(volumes, PARAMS)
    assert not found.trusted
    assert "nothing can be seen" in found.reason


def test_given_map_is_taken_as_it_is() -> None:
    params = ActivityParams(red_to_green=(1.0, 0.01, 5.0, -0.01, 1.0, -3.0), shift_z=1)
    found = estimate(draw_volumes((0.0, 0.0), 1), params)
    assert (found.source, found.shift_z) == ("given", 1)
    regions = Regions.from_boxes(np.array([2]), np.array([[10.0, 20.0, 5.0, 7.0]]))
    moved = found.move(regions)
    assert moved.z.tolist() == [3]
    assert moved.box_px[0, 2:].tolist() == [5.0, 7.0]
    assert moved.centre_px[0, 1:] == pytest.approx(found.move_points(np.array([[23.0, 12.0]]))[0])
    assert moved.centre_px[0, 1:] == pytest.approx([23.0 + 0.12 + 5, 12.0 - 0.23 - 3])


def test_unmoved_changes_nothing() -> None:
    regions = Regions.from_boxes(np.array([2]), np.array([[10.0, 20.0, 5.0, 7.0]]))
    assert ChannelMap.unmoved().move(regions).box_px == pytest.approx(regions.box_px)
