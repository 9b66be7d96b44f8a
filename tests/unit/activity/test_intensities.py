"""Red and green light of neurons."""

from dataclasses import replace

import numpy as np
import pytest

from cender.activity import ActivityParams, Cameras, ChannelMap, measure_intensities
from cender.types import Intensities, Neurons, Volume
from unit.activity.scenes import Scene, make_scene

PARAMS = ActivityParams()
ALIGNED = Cameras()
# Frames beside the middle have 0.6 of its light, and count by it.
SHARE = (1 + 2 * 0.6**2) / (1 + 2 * 0.6)
INSIDE = 0.5 / np.log(2)


def measure(scene: Scene, volume: Volume | None = None, cameras: Cameras = ALIGNED) -> Intensities:
    return measure_intensities((volume or scene.draw()).stack, scene.neurons(), cameras, PARAMS)


def test_mean_above_background_of_both_channels() -> None:
    scene = make_scene()
    found = measure(scene)
    assert found.red == pytest.approx(scene.red * SHARE * INSIDE, rel=0.04)
    assert found.green / found.red == pytest.approx(scene.green / scene.red, rel=0.03)
    assert found.background_red == pytest.approx(np.full(20, 100), abs=3)
    assert found.background_green == pytest.approx(np.full(20, 100), abs=3)


def test_camera_offset_does_not_matter() -> None:
    scene = make_scene()
    volume = scene.draw()
    brighter = replace(volume, data=volume.data + np.uint16(900))
    assert measure(scene, brighter).red == pytest.approx(measure(scene, volume).red, rel=1e-3)
    assert measure(scene, brighter).background_red == pytest.approx(measure(scene, volume).background_red + 900)


def test_light_in_two_boxes_is_shared_out() -> None:
    pair = Scene(np.array([[80.0, 80.0], [80.0, 86.0]]), np.array([200.0, 200.0]), np.array([30.0, 300.0]), np.zeros(2))
    alone = [replace(pair, green=pair.green * keep) for keep in (np.array([1, 0]), np.array([0, 1]))]
    together, first, second = (measure(scene).green for scene in (pair, *alone))
    boxes = pair.neurons().regions
    x, y = (int(np.floor(value)) for value in boxes.box_px[0, :2])
    plain = float(pair.draw().data[1, 3, y : y + 8, x : x + 8].mean()) - 100
    assert plain > 3 * first[0], "the mean of the box alone is mostly its neighbour's light"
    assert together == pytest.approx([first[0], second[1]], abs=3)


def test_two_boxes_in_one_place_share_equally() -> None:
    double = Scene(np.array([[80.0, 80.0], [80.0, 80.0]]), np.array([200.0, 0.0]), np.array([90.0, 0.0]), np.zeros(2))
    found = measure(double)
    assert found.red[0] == pytest.approx(found.red[1])
    assert found.red.sum() == pytest.approx(200 * SHARE * INSIDE, rel=0.1)


def test_what_may_be_no_neuron_takes_no_light_from_those_that_are() -> None:
    double = Scene(np.array([[80.0, 80.0], [80.0, 80.5]]), np.array([200.0, 0.0]), np.array([90.0, 0.0]), np.zeros(2))
    volume, faint = double.draw(), np.array([False, True])
    alone = measure_intensities(volume.stack, double.neurons().select(~faint), ALIGNED, PARAMS)
    beside = measure_intensities(volume.stack, double.neurons(), ALIGNED, PARAMS, faint)
    assert beside.red[0] == pytest.approx(alone.red[0], rel=0.02)
    assert beside.green[0] == pytest.approx(alone.green[0], rel=0.02)
    assert abs(beside.red[1]) < 0.1 * alone.red[0]


def test_green_is_measured_where_it_lies() -> None:
    scene = make_scene(moved=(9.0, -7.0))
    matrix = np.array([[1.0, 0.0, 9.0], [0.0, 1.0, -7.0]])
    right = measure(scene, cameras=Cameras(ChannelMap(matrix, source="given")))
    wrong = measure(scene)
    assert right.green / right.red == pytest.approx(scene.green / scene.red, rel=0.03)
    assert np.median(wrong.green / right.green) < 0.3


def test_green_behind_red_along_z() -> None:
    scene = make_scene()
    volume = scene.draw()
    later = volume.data.copy()
    later[1] = np.roll(later[1], 1, axis=0)
    found = measure(scene, replace(volume, data=later), Cameras(ChannelMap(np.eye(2, 3), shift_z=1)))
    assert found.green == pytest.approx(measure(scene).green)


def test_stuck_pixels_are_left_out() -> None:
    scene = make_scene()
    volume = scene.draw()
    spoilt = volume.data.copy()
    y, x = np.rint(scene.centre_yx[0]).astype(int)
    spoilt[0, 3, y + 1, x] = 9000
    spoilt[1, 3, y, x - 1] = 0
    assert measure(scene, replace(volume, data=spoilt)).red == pytest.approx(measure(scene).red, rel=0.01)
    assert measure(scene, replace(volume, data=spoilt)).green == pytest.approx(measure(scene).green, rel=0.02)


def test_saturated_neuron_has_background_but_no_intensity() -> None:
    scene = replace(make_scene(), red=np.r_[90000.0, make_scene().red[1:]])
    found = measure(scene)
    assert np.flatnonzero(np.isnan(found.red)).tolist() == [0]
    assert np.isfinite(found.background_red).all()
    assert np.isfinite(found.green).all()
    volume = make_scene().draw()
    full = measure_intensities(volume.stack, scene.neurons(), ALIGNED, ActivityParams(saturation=300.0))
    middle = make_scene().red + 100 > 320
    assert middle.any()
    assert np.isnan(full.red[middle]).all()


@pytest.mark.parametrize("role", ["red", "green"])
def test_one_channel_alone(role: str) -> None:
    scene = make_scene(moved=(9.0, -7.0) if role == "red" else (0.0, 0.0))
    away = Cameras(ChannelMap(np.array([[1.0, 0.0, 9.0], [0.0, 1.0, -7.0]])))
    found = measure(scene, scene.draw((role,)), away)  # type: ignore[arg-type]
    here, missing = (found.red, found.green) if role == "red" else (found.green, found.red)
    light = scene.red if role == "red" else scene.green
    assert here == pytest.approx(light * SHARE * INSIDE, rel=0.06), "without red the boxes are those of green"
    assert np.isnan(missing).all()
    assert np.isnan(found.background_green if role == "red" else found.background_red).all()


def test_neurons_outside_of_the_frame_or_of_the_stack_are_unknown() -> None:
    scene = replace(make_scene(3), centre_yx=np.array([[80.0, 80.0], [80.0, 400.0], [-30.0, 20.0]]))
    found = measure(scene)
    assert np.isfinite(found.red).tolist() == [True, False, False]
    deep = Cameras(ChannelMap(np.eye(2, 3), shift_z=50))
    assert np.isnan(measure(make_scene(), cameras=deep).green).all()


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32, np.float32, np.float64])
def test_every_kind_of_number(kind: type) -> None:
    scene = make_scene()
    scene = replace(scene, red=scene.red / 3, green=scene.green / 3)
    volume = scene.draw()
    found = measure(scene, replace(volume, data=volume.data.astype(kind)))
    assert found.red == pytest.approx(measure(scene).red, rel=0.02)


def test_no_neurons() -> None:
    assert len(measure_intensities(make_scene().draw().stack, Neurons.empty(), ALIGNED, PARAMS)) == 0


def test_order_of_neurons_does_not_matter() -> None:
    scene = make_scene(noise=8.0)
    turned = replace(scene, centre_yx=scene.centre_yx[::-1])
    volume = scene.draw()
    first = measure_intensities(volume.stack, scene.neurons(), ALIGNED, PARAMS)
    second = measure_intensities(volume.stack, turned.neurons(), ALIGNED, PARAMS)
    assert second.red[::-1] == pytest.approx(first.red)
