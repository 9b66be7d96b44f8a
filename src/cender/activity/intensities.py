"""Red and green light of the neurons of one volume, above their background and apart from their neighbours."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, Real

from cender.activity.background import estimate_background, take_surroundings
from cender.activity.camera_pattern import probe_pattern
from cender.activity.cameras import Cameras
from cender.activity.params import ActivityParams
from cender.activity.profiles import Places, Profiles, Sharing, probe_image
from cender.types import Intensities, Neurons, Regions, Stack

# Mean of a bell inside its contour at half the peak, relative to that peak.
MEAN_INSIDE = 0.5 / np.log(2)
# Times that heights and background are fitted in turn.
ROUNDS = 2
# A frame at the edge of a nucleus still counts a little, however dark noise makes it.
LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class _Light:
    """Regions of one channel that lie in it: what their bells sum up to, how they share it, and what comes of it.

    ``inside`` are the rows of those regions among all, the other arrays have one row for each of them.
    """

    inside: Int[np.ndarray, " k"]
    sharing: Sharing | None
    light: Float[np.ndarray, " k"]
    height: Float[np.ndarray, " k"]
    background: Float[np.ndarray, " k"]
    seen: Bool[np.ndarray, " k"]
    saturated: Bool[np.ndarray, " k"]


def measure_intensities(
    stack: Stack,
    neurons: Neurons,
    cameras: Cameras,
    params: ActivityParams,
    faint: Bool[np.ndarray, " m"] | None = None,
) -> Intensities:
    """Mean of every neuron above its background in both channels, one row per neuron.

    A neuron is taken for a bell in each of its frames, as wide at half its height as its box. The heights of all bells
    are fitted together, so that light in two overlapping boxes is shared out: first frame by frame, then with one
    height per neuron and channel, the course of which along z is that of red. The background is what lies between
    bells, averaged over a few micrometres, and the fixed pattern of the camera is taken off. Single stuck pixels are
    left out. Without a red channel the boxes are taken to be those of the green one.

    Parameters
    ----------
    stack
        The volume; a channel that it lacks is NaN in the result.
    neurons
        Their regions belong to the red channel.
    cameras
        Where green lies, and the fixed pattern that is taken off, from `estimate_cameras`.
    params
        Settings of the stage.
    faint
        Which of them may be no neurons at all: they take no light from the others; none by default.
    """
    count, regions = len(neurons), neurons.regions
    regions = regions.select((regions.neuron >= 0) & (regions.box_px[:, 2:] > 0).all(axis=1))
    width_px = params.background_um / stack.voxel_um.x_um
    red, green = stack.red, stack.green
    doubted = np.zeros(len(regions), bool) if faint is None else faint[regions.neuron]
    light_red = light_green = None
    if red is not None:
        light_red = _measure_channel(red, regions, doubted, width_px, params.saturation, cameras.pattern.red)
    if green is not None:
        moved = regions if red is None else cameras.channel_map.move(regions)
        light_green = _measure_channel(green, moved, doubted, width_px, params.saturation, cameras.pattern.green)
    shape = _measure_shape(light_green if light_red is None else light_red, regions, count)
    means = [_gather(light, shape, regions, count) for light in (light_red, light_green)]
    return Intensities(means[0][0], means[1][0], means[0][1], means[1][1])


def _measure_channel(
    image: Real[np.ndarray, "z y x"],
    regions: Regions,
    doubted: Bool[np.ndarray, " n"],
    width_px: float,
    saturation: float | None,
    pattern: Float32[np.ndarray, "y x"] | None,
) -> _Light:
    inside = np.flatnonzero((regions.z >= 0) & (regions.z < len(image)))
    profiles = Profiles.from_regions(regions.select(inside), image.shape[1:])
    full = saturation if saturation is not None else _full_scale(image.dtype)
    probed, saturated = probe_image(image, profiles, full)
    if not len(profiles):
        return _Light(inside, None, probed, probed, probed, profiles.covered, saturated)
    if pattern is not None:
        probed = probed - probe_pattern(pattern, profiles)
    places = Places.from_frames(profiles.z)
    around = take_surroundings(image, profiles, places, width_px, pattern)
    sharing = Sharing.from_profiles(profiles, places, doubted[inside])
    # Heights of the bells and the background under them, each from what the other leaves.
    behind = estimate_background(around, profiles, None)
    light = probed - behind * profiles.probe_sum
    height = sharing.solve_bells(light)
    for _ in range(ROUNDS - 1):
        behind = estimate_background(around, profiles, height)
        light = probed - behind * profiles.probe_sum
        height = sharing.solve_bells(light)
    return _Light(inside, sharing, light, height, behind, profiles.covered, saturated)


def _full_scale(dtype: np.dtype) -> float:
    return float(np.iinfo(dtype).max) if dtype.kind in "iu" else np.inf


def _measure_shape(light: _Light | None, regions: Regions, count: int) -> Float[np.ndarray, " n"]:
    """How bright each region is, relative to the brightest one of its neuron."""
    shape = np.ones(len(regions))
    if light is None:
        return shape
    height = np.zeros(len(regions))
    height[light.inside] = np.where(light.seen, light.height, 0)
    brightest = np.zeros(count)
    np.maximum.at(brightest, regions.neuron, height)
    return np.asarray(np.clip(height / np.maximum(brightest[regions.neuron], 1e-9), LEAST_SHARE, 1))


def _gather(
    light: _Light | None, shape: Float[np.ndarray, " n"], regions: Regions, count: int
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    """Mean of every neuron over its regions, each counting by its brightness, and its background."""
    if light is None or light.sharing is None:
        return np.full(count, np.nan), np.full(count, np.nan)
    weight = shape * regions.box_px[:, 2] * regions.box_px[:, 3]
    # The same in both channels, even where one of them does not show all regions.
    level = np.bincount(regions.neuron, weight * shape, count) / np.maximum(
        np.bincount(regions.neuron, weight, count), 1e-9
    )
    neuron, seen = regions.neuron[light.inside], light.seen
    height = light.sharing.solve_neurons(light.light, shape[light.inside] * seen, neuron, count)
    known = np.bincount(neuron, weight[light.inside] * seen, count)
    behind = np.bincount(neuron, weight[light.inside] * seen * light.background, count) / np.maximum(known, 1e-9)
    full = np.bincount(neuron, light.saturated & seen, count) > 0
    measured = (known > 0) & ~full
    return np.where(measured, MEAN_INSIDE * level * height, np.nan), np.where(known > 0, behind, np.nan)
