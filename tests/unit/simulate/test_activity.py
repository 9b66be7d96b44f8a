"""Light follows activity, bleaches, fades and bleeds as the knobs say."""

from typing import Any

import numpy as np
import pytest

from cases.simulations import DARK, STILL, simulate
from cender.simulate.activity import bleach
from cender.simulate.rendering import GREEN, RED, draw_frame

STEADY: dict[str, Any] = {"fading": 0.0, "flicker": 0.0, "red_into_green": 0.0, "green_into_red": 0.0}
LASTING: dict[str, Any] = {"red_bleach_s": 1e9, "green_bleach_s": 1e9}


def test_bleaching_falls_to_what_cannot_fade() -> None:
    left = bleach(np.array([0.0, 100.0, 1e6]), 100.0, 0.6)
    assert left == pytest.approx([1.0, 0.4 + 0.6 / np.e, 0.4])


def test_both_channels_bleach_and_the_ratio_does_not() -> None:
    knobs = {"volumes": 200, "rate_hz": 0.5, "activity": {"active": 0.0}}
    light = simulate(optics={**STEADY, "red_bleach_s": 300.0, "green_bleach_s": 100.0}, **knobs).world.light
    for counts in (light.red, light.green):
        assert (np.diff(counts, axis=0) < 0).all()
    assert (light.green[-1] / light.green[0]).max() < (light.red[-1] / light.red[0]).min()
    assert np.ptp(light.ratio, axis=0) == pytest.approx(0)
    lasting = simulate(optics={**STEADY, **LASTING}, **knobs).world.light
    assert lasting.red[-1] == pytest.approx(lasting.red[0], rel=1e-4)


def test_patches_in_green_and_red_have_the_true_ratio() -> None:
    simulation = simulate(volumes=3, optics={**DARK, **STEADY, **LASTING}, motion=STILL)
    world = simulation.world
    spots, glow = world.see(2)
    for neuron in range(0, len(world.animal), 17):
        mine = spots.select((spots.neuron == neuron) & (spots.frame == 5))
        red, green = (draw_frame(world, 2, channel, 5, mine, glow).sum() for channel in (RED, GREEN))
        if red > 100:
            assert green / red == pytest.approx(simulation.ratios(2)[int(world.animal.identity[neuron])], rel=0.01)


def test_pixels_follow_the_true_ratio() -> None:
    optics = {**DARK, **STEADY, **LASTING, "camera_shift_px": 0.0, "camera_rotation_deg": 0.0, "camera_scale": 0.0}
    simulation = simulate(volumes=2, preset="easy", optics={**optics, "peak_counts": 500.0}, motion=STILL)
    annotation, volume = simulation.annotate(1), simulation.recording.volume(1)
    offset = simulation.world.params.camera.offset
    true, measured = [], []
    for z, (x, y, w, h), neuron in zip(
        annotation.regions.z, annotation.regions.box_px.astype(int), annotation.regions.neuron, strict=True
    ):
        red, green = volume.data[:, z, y : y + h, x : x + w].astype(float).mean((1, 2)) - offset
        true.append(simulation.ratios(1)[int(annotation.identity[neuron])])
        measured.append(green / red)
    assert len(true) > 100
    assert np.corrcoef(true, measured)[0, 1] > 0.8


def test_bleed_through_brings_red_into_green() -> None:
    without, with_it = (simulate(optics={**STEADY, "red_into_green": share}).world.light for share in (0.0, 0.2))
    assert with_it.green == pytest.approx(without.green + 0.2 * without.red)


def test_fading_takes_neurons_away_for_a_while() -> None:
    light = simulate(volumes=300, optics={**STEADY, **LASTING, "fading": 0.1}).world.light
    relative = light.red / np.median(light.red, axis=0)
    assert 0.03 < (relative < 0.5).mean() < 0.2
    assert relative.min() < 0.3
    steady = simulate(volumes=300, optics={**STEADY, **LASTING}).world.light
    assert np.ptp(steady.red, axis=0) == pytest.approx(0, abs=1e-3)


def test_quiet_neurons_are_steady_and_active_ones_are_not() -> None:
    ratio = simulate(volumes=300, activity={"active": 0.5}).world.light.ratio
    change = np.ptp(ratio, axis=0) / ratio.min(0)
    assert 0.3 < (change < 0.01).mean() < 0.7
    assert np.percentile(change, 90) > 0.5


def test_brain_is_awake_when_the_recording_starts() -> None:
    early = [np.ptp(simulate(seed, volumes=25).world.light.ratio, axis=0).max() for seed in range(8)]
    assert np.median(early) > 0.2


def test_slower_indicator_makes_slower_activity() -> None:
    kept = []
    for decay_s in (0.5, 6.0):
        ratio = simulate(volumes=400, activity={"decay_s": decay_s, "active": 1.0}).world.light.ratio
        scaled = (ratio - ratio.mean(0)) / ratio.std(0)
        kept.append(np.median((scaled[10:] * scaled[:-10]).mean(0)))
    assert kept[0] < kept[1]
