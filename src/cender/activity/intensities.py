"""Red and green light of the neurons of one volume, above their background and apart from their neighbours."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, Real

from cender.activity.background import estimate_background, take_surroundings
from cender.activity.camera_pattern import probe_pattern
from cender.activity.cameras import Cameras
from cender.activity.params import ActivityParams
from cender.activity.profiles import Places, Profiles, Sharing, probe_image
from cender.types import Intensities, Neurons, Regions, Volume

# Mean of a bell inside its contour at half the peak, relative to that peak.
MEAN_INSIDE = 0.5 / np.log(2)
# Times that heights and background are fitted in turn.
ROUNDS = 2
# A frame at the edge of a nucleus still counts a little, however dark noise makes it.
LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class _Light:
    """Regions in one channel: mean above background, background, and whether something could be measured."""

    mean: Float[np.ndarray, " n"]
    background: Float[np.ndarray, " n"]
    seen: Bool[np.ndarray, " n"]
    saturated: Bool[np.ndarray, " n"]


def measure_intensities(
    volume: Volume,
    neurons: Neurons,
    cameras: Cameras,
    params: ActivityParams,
    faint: Bool[np.ndarray, " m"] | None = None,
) -> Intensities:
    """Mean of every neuron above its background in both channels, one row per neuron.

    A neuron is taken for a bell in each of its frames, as wide at half its height as its box. The heights of all bells
    of a frame are fitted together, so that light in two overlapping boxes is shared out; the background is what lies
    between them, averaged over a few micrometres, and the fixed pattern of the camera is taken off. Frames
    count by how bright the neuron is there in red. Single stuck pixels are left out. Without a red channel the boxes
    are taken to be those of the green one.

    Parameters
    ----------
    volume
        With its voxel size and the roles of its channels; a channel that it lacks is NaN in the result.
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
    width_px = params.background_um / volume.scale.x_um
    red, green = volume.red, volume.green
    doubted = np.zeros(len(regions), bool) if faint is None else faint[regions.neuron]
    light_red = light_green = None
    if red is not None:
        light_red = _measure_channel(red, regions, doubted, width_px, params.saturation, cameras.pattern.red)
    if green is not None:
        moved = regions if red is None else cameras.channel_map.move(regions)
        light_green = _measure_channel(green, moved, doubted, width_px, params.saturation, cameras.pattern.green)
    share = _weigh_frames(light_green if light_red is None else light_red, regions, count)
    means = [_gather(light, share, regions.neuron, count) for light in (light_red, light_green)]
    return Intensities(means[0][0], means[1][0], means[0][1], means[1][1])


def _measure_channel(
    image: Real[np.ndarray, "z y x"],
    regions: Regions,
    doubted: Bool[np.ndarray, " n"],
    width_px: float,
    saturation: float | None,
    pattern: Float32[np.ndarray, "y x"] | None,
) -> _Light:
    inside = (regions.z >= 0) & (regions.z < len(image))
    profiles = Profiles.from_regions(regions.select(inside), image.shape[1:])
    full = saturation if saturation is not None else _full_scale(image.dtype)
    probed, saturated = probe_image(image, profiles, full)
    if len(profiles) and pattern is not None:
        probed = probed - probe_pattern(pattern, profiles)
    height, behind = _fit(image, profiles, doubted[inside], probed, width_px)
    blank = np.full(len(regions), np.nan)
    light = _Light(blank, blank.copy(), np.zeros(len(regions), bool), np.zeros(len(regions), bool))
    light.mean[inside], light.background[inside] = MEAN_INSIDE * height, behind
    light.seen[inside], light.saturated[inside] = profiles.covered, saturated
    return light


def _fit(
    image: Real[np.ndarray, "z y x"],
    profiles: Profiles,
    doubted: Bool[np.ndarray, " n"],
    probed: Float[np.ndarray, " n"],
    width_px: float,
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Heights of the bells and the background under them, each from what the other leaves."""
    if not len(profiles):
        return np.zeros(0), np.zeros(0)
    places = Places.from_frames(profiles.z)
    around = take_surroundings(image, profiles, places, width_px)
    sharing, area = Sharing.from_profiles(profiles, places, doubted), profiles.probe_sum
    behind = estimate_background(around, profiles, None)
    height = sharing.solve(probed - behind * area)
    for _ in range(ROUNDS - 1):
        behind = estimate_background(around, profiles, height)
        height = sharing.solve(probed - behind * area)
    return height, behind


def _full_scale(dtype: np.dtype) -> float:
    return float(np.iinfo(dtype).max) if dtype.kind in "iu" else np.inf


def _weigh_frames(light: _Light | None, regions: Regions, count: int) -> Float[np.ndarray, " n"]:
    """How much each region counts for its neuron: its area times its brightness relative to the brightest."""
    area = regions.box_px[:, 2] * regions.box_px[:, 3]
    if light is None or not len(regions):
        return np.asarray(area)
    mean = np.where(light.seen, light.mean, 0)
    brightest = np.zeros(count)
    np.maximum.at(brightest, regions.neuron, mean)
    relative = mean / np.maximum(brightest[regions.neuron], 1e-9)
    return np.asarray(area * np.clip(relative, LEAST_SHARE, 1))


def _gather(
    light: _Light | None, share: Float[np.ndarray, " n"], neuron: Int[np.ndarray, " n"], count: int
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    """Mean and background of every neuron over its regions."""
    if light is None:
        return np.full(count, np.nan), np.full(count, np.nan)
    weight = share * light.seen
    total = np.bincount(neuron, weight, count)

    def average(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
        summed = np.bincount(neuron, np.where(light.seen, values, 0) * weight, count)
        return np.asarray(np.divide(summed, total, out=np.full(count, np.nan), where=total > 0))

    full = np.bincount(neuron, light.saturated & light.seen, count) > 0
    return np.where(full, np.nan, average(light.mean)), average(light.background)
