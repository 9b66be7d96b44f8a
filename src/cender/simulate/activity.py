"""What the neurons do and how brightly they shine, volume by volume."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.signal import lfilter
from scipy.special import expit, ndtri

from cender.simulate.animal import Animal
from cender.simulate.params import ActivityParams, OpticsParams, SimulateParams
from cender.simulate.processes import draw_smooth

SHARED_STATES = 3
"""States of the animal, such as moving backwards, that many neurons follow."""
# The brain is awake before the recording starts, and activity is scaled by what a neuron does in a fixed
# time, recorded or not, so that a longer recording begins like a shorter one.
WARM_UP_S, REFERENCE_S = 40.0, 300.0


@dataclass(frozen=True, slots=True)
class Light:
    """Every neuron in every volume: red and green counts at the nucleus' peak, and the true ratio.

    The ratio is free of bleaching, fading and bleed-through; the counts have all of them.
    """

    red: Float[np.ndarray, "t n"]
    green: Float[np.ndarray, "t n"]
    ratio: Float[np.ndarray, "t n"]


def make_light(params: SimulateParams, animal: Animal, rng: np.random.Generator) -> Light:
    """Brightness of an animal's neurons through the whole recording."""
    optics, volumes = params.optics, params.volumes
    activity, fade, flicker = rng.spawn(3)
    ratio = make_ratio(params.activity, volumes, 1 / params.rate_hz, len(animal), activity)
    present = animal.brightness * optics.peak_counts
    present = present * make_fading(optics, volumes, 1 / params.rate_hz, len(animal), fade)
    present = present * np.exp(flicker.normal(0, optics.flicker, (volumes, len(animal))))
    times_s = (np.arange(volumes)[:, None] + 0.5) / params.rate_hz
    red = present * bleach(times_s, optics.red_bleach_s, optics.bleach_share)
    green = present * ratio * bleach(times_s, optics.green_bleach_s, optics.bleach_share)
    return Light(red + optics.green_into_red * green, green + optics.red_into_green * red, ratio)


def bleach(times_s: Float[np.ndarray, "*t"], lasting_s: float, share: float) -> Float[np.ndarray, "*t"]:
    """What bleaching leaves at these times."""
    return 1 - share + share * np.exp(-times_s / lasting_s)


def make_fading(
    optics: OpticsParams, volumes: int, step_s: float, neurons: int, rng: np.random.Generator
) -> Float[np.ndarray, "t n"]:
    """Factors near 1 that fall towards 0.15 now and then, for a second or so."""
    if optics.fading == 0:
        return np.ones((volumes, neurons))
    level = draw_smooth(volumes, step_s, 2.0, rng, neurons)
    return np.asarray(1 - 0.85 * expit(12 * (level - ndtri(1 - optics.fading))))


def make_ratio(
    params: ActivityParams, volumes: int, step_s: float, neurons: int, rng: np.random.Generator
) -> Float[np.ndarray, "t n"]:
    """Ratio of every neuron: its own events and the brain's shared states, seen through a slow indicator."""
    traits, shared, own, jitter = rng.spawn(4)
    warm_up, reference = (max(1, round(time_s / step_s)) for time_s in (WARM_UP_S, REFERENCE_S))
    steps = warm_up + max(volumes, reference)
    stays_s = (6.0, 11.0, 20.0)
    switches = zip(stays_s, shared.spawn(SHARED_STATES), strict=True)
    states = np.stack([_switch(steps, step_s, stay_s, chance) for stay_s, chance in switches], axis=1)
    loading = traits.normal(0, 1, (SHARED_STATES, neurons)) * (traits.random((SHARED_STATES, neurons)) < 0.45)
    private = expit(4 * (draw_smooth(steps, step_s, 5.0, own, neurons) - 1.2))
    drive = params.shared * np.abs(states @ loading) + (1 - params.shared) * 2 * private
    drive = drive + 0.06 * draw_smooth(steps, step_s, 1.0, jitter, neurons)
    seen = _see_through_indicator(drive, params, step_s)[warm_up:]
    seen = np.clip(seen, 0, None) / np.maximum(np.percentile(seen[:reference], 98, axis=0), 0.5)
    low, high = np.log(params.amplitude)
    amplitude = np.exp(traits.uniform(low, high, neurons)) * (traits.random(neurons) < params.active)
    return np.asarray(traits.uniform(*params.base_ratio, neurons) * (1 + amplitude * seen[:volumes]))


def _switch(volumes: int, step_s: float, stay_s: float, rng: np.random.Generator) -> Float[np.ndarray, " t"]:
    """A state that is on or off, each for a random time."""
    now, on = 0.0, False
    state = np.zeros(volumes)
    while now < volumes * step_s:
        lasts = rng.exponential(stay_s)
        if on:
            state[round(now / step_s) : round((now + lasts) / step_s)] = 1
        now, on = now + lasts, not on
    return state


def _see_through_indicator(
    drive: Float[np.ndarray, "t n"], params: ActivityParams, step_s: float
) -> Float[np.ndarray, "t n"]:
    seen = drive
    for lasting_s in (params.rise_s, params.decay_s):
        keep = np.exp(-step_s / lasting_s)
        seen = lfilter([1 - keep], [1, -keep], seen, axis=0)
    return np.asarray(seen)
