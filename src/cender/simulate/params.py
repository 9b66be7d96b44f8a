"""Every knob of the simulator, and the presets that benchmarks name."""

import hashlib
import json
from typing import Any, Literal

from pydantic import Field, model_validator

from cender.simulate.presets import PRESETS
from cender.types import Params

Preset = Literal["easy", "typical", "hard", "crowded"]
Range = tuple[float, float]
# Settings that did not exist when the first presets were frozen.
LATER = (
    ("anatomy", "closest_um"),
    ("anatomy", "packing"),
    ("anatomy", "elongation"),
    ("optics", "gut"),
    ("optics", "others"),
)


class AnatomyParams(Params):
    """The animal: which neurons it has, where, how large and how bright."""

    neurons: tuple[int, int] = Field((140, 190), description="fewest and most neurons of an animal")
    invisible: float = Field(0.06, ge=0, le=1, description="share of neurons too dim to be seen in any volume")
    variation_um: float = Field(1.1, ge=0, description="how far a neuron lies from its place in the average animal, sd")
    scale_sd: float = Field(
        0.05, ge=0, description="how much animals differ in length, height and width, sd of the factor"
    )
    diameter_um: Range = Field(
        (1.8, 3.2), description="smallest and largest usual lateral width of a nucleus at half its peak"
    )
    half_depth_um: Range = Field(
        (1.15, 2.9), description="smallest and largest usual half depth of a nucleus at half its peak"
    )
    elongation: float = Field(
        0.1, ge=0, description="how long nuclei are across, sd of half the logarithm of length to width"
    )
    flatness: Range = Field((2.0, 5.0), description="profile of nuclei: 2 is a bell, 5 a flat top")
    brightness_sd: float = Field(0.5, ge=0, description="spread of brightness between neurons, sd of its logarithm")
    closest_um: float = Field(3.06, ge=0, description="nuclei are pushed apart until about this far from each other")
    packing: float = Field(1.0, gt=0, description="factor on all distances in the animal: below 1 neurons lie closer")


class MotionParams(Params):
    """How the head moves, bends, rolls and drifts."""

    side: Literal["either", "left", "right"] = Field("either", description="side that faces the objective")
    undulation_rad: float = Field(0.55, ge=0, description="bend of the head and neck by the travelling wave, amplitude")
    undulation_hz: float = Field(0.45, gt=0, description="frequency of the travelling wave")
    swing_rad: float = Field(0.45, ge=0, description="irregular swings of the head, sd")
    deep_bends_per_min: float = Field(5.0, ge=0, description="deep bends of the head")
    omega_turns_per_min: float = Field(0.6, ge=0, description="Ω-turns: the head meets the body")
    twists_per_min: float = Field(0.5, ge=0, description="twists of the head about its own axis")
    turning_rad_s: float = Field(0.6, ge=0, description="rate at which the body turns in the image, sd")
    drift_um: float = Field(
        14.0, ge=0, description="wandering of the head in the image that the stage does not follow, sd"
    )
    drift_s: float = Field(1.6, gt=0, description="time over which that wandering persists")
    stage_jumps_per_min: float = Field(3.0, ge=0, description="sudden steps of the stage")
    stage_jump_um: float = Field(18.0, ge=0, description="size of such a step, sd")
    focus_um: float = Field(2.0, ge=0, description="wandering along z, sd")
    roll_rad: float = Field(0.14, ge=0, description="rolling about the body axis, sd")
    stretch: float = Field(0.025, ge=0, description="lengthening and shortening of the head, sd of the factor")
    wobble_um: float = Field(1.0, ge=0, description="smooth local deformation, sd")


class OpticsParams(Params):
    """What the microscope makes of the animal."""

    peak_counts: float = Field(70.0, gt=0, description="camera counts of a median neuron at its peak, above background")
    haze: float = Field(0.011, ge=0, description="out-of-focus light around neurons, relative to their own")
    body_glow: float = Field(0.05, ge=0, description="autofluorescence of the body, relative to a median neuron")
    neuropil: float = Field(0.05, ge=0, description="light of the nerve ring and the cord, relative to a median neuron")
    defocus_per_min: float = Field(2.0, ge=0, description="moments in which the image blurs")
    defocus_um: float = Field(0.7, ge=0, description="blur radius in such a moment, sd")
    fading: float = Field(0.03, ge=0, le=1, description="share of time in which a neuron has faded")
    flicker: float = Field(
        0.08, ge=0, description="change of a neuron's brightness from volume to volume, sd of its logarithm"
    )
    debris: int = Field(2, ge=0, description="bright spots that are not neurons")
    red_bleach_s: float = Field(900.0, gt=0, description="time in which red fades to 1/e of what can fade")
    green_bleach_s: float = Field(600.0, gt=0, description="the same for green")
    bleach_share: float = Field(0.6, ge=0, le=1, description="share of the light that can fade")
    red_into_green: float = Field(0.03, ge=0, description="red light seen by the green camera")
    green_into_red: float = Field(0.01, ge=0, description="green light seen by the red camera")
    camera_shift_px: float = Field(4.0, ge=0, description="shift of the green camera against the red one, sd")
    camera_rotation_deg: float = Field(0.3, ge=0, description="rotation between the cameras, sd")
    camera_scale: float = Field(0.003, ge=0, description="difference in magnification between the cameras, sd")
    mirrored: bool = Field(False, description="the microscope shows a mirror image")
    gut: float = Field(0.0, ge=0, description="light of the gut behind the head, relative to a median neuron")
    others: int = Field(0, ge=0, description="nuclei of another animal in view, beside the first one")


class ActivityParams(Params):
    """What the neurons do."""

    active: float = Field(0.65, ge=0, le=1, description="share of neurons whose activity changes")
    amplitude: Range = Field((0.15, 1.6), description="smallest and largest usual relative change of the ratio")
    base_ratio: Range = Field((0.35, 1.1), description="smallest and largest usual ratio at rest")
    shared: float = Field(
        0.6, ge=0, le=1, description="share of the activity that follows the common state of the brain"
    )
    rise_s: float = Field(0.4, gt=0, description="rise time of the indicator")
    decay_s: float = Field(2.2, gt=0, description="decay time of the indicator")


class CameraParams(Params):
    """The two sCMOS cameras."""

    offset: float = Field(119.5, ge=0, description="counts without light")
    half_step: float = Field(1.2, description="difference in offset between the two halves of the sensor")
    shading: float = Field(4.0, ge=0, description="slow fall of the offset towards one edge")
    column_sd: float = Field(1.1, ge=0, description="fixed pattern of columns, in each half its own")
    row_sd: float = Field(0.65, ge=0, description="fixed pattern of rows")
    pixel_sd: float = Field(2.9, ge=0, description="fixed pattern of single pixels")
    read_noise: float = Field(8.8, ge=0, description="noise of the median pixel without light")
    noise_spread: float = Field(0.25, ge=0, description="how noise differs between pixels, sd of its logarithm")
    gain: float = Field(1.0, ge=0, description="counts per photo-electron: shot noise is √(gain × counts)")
    hot_pixels: float = Field(2e-5, ge=0, le=1, description="share of pixels that are stuck far too bright")
    full_well: int = Field(65535, ge=1, le=65535, description="largest count")


class StorageParams(Params):
    """What was done to the images between the camera and the file; by default nothing."""

    denoise_um: float = Field(0.0, ge=0, description="blur by a Gaussian of this sd, as denoising does")
    sharpen: float = Field(0.0, ge=0, description="strength of an unsharp mask, as deconvolution leaves it")
    remove_background: float = Field(
        0.0, ge=0, description="take off the light around nuclei and so many times the noise; 0 keeps it"
    )
    saturate: float = Field(
        0.0, ge=0, description="all beyond so many times the light of a median neuron is cut off; 0: nothing is"
    )
    largest: int = Field(
        65535, ge=255, le=65535, description="largest stored value; with 255 brightness is scaled to fill 8 bits"
    )
    jpeg_quality: int = Field(0, ge=0, le=100, description="compress frames of 8 bits with losses; 0: do not")


class SimulateParams(Params):
    """A simulated recording; the preset sets all knobs, single ones may be turned afterwards."""

    preset: Preset = Field(
        "typical", description="'easy', 'typical', 'hard' or 'crowded': what the settings below start from"
    )
    seed: int = Field(0, ge=0, description="a new animal, with a new path, for every seed")
    volumes: int = Field(50, ge=1, description="number of volumes")
    shape: tuple[int, int, int] = Field((18, 1024, 1024), description="frames, rows and columns of a volume")
    voxel_um: tuple[float, float, float] = Field((1.5, 0.3, 0.3), description="voxel size: [z, y, x]")
    rate_hz: float = Field(5.0, gt=0, description="volumes per second")
    flyback: float = Field(0.1, ge=0, lt=1, description="share of a volume's time in which the scanner flies back")
    anatomy: AnatomyParams = Field(default_factory=AnatomyParams, description="the animal")
    motion: MotionParams = Field(default_factory=MotionParams, description="how it moves")
    optics: OpticsParams = Field(default_factory=OpticsParams, description="what the microscope makes of it")
    activity: ActivityParams = Field(default_factory=ActivityParams, description="what its neurons do")
    camera: CameraParams = Field(default_factory=CameraParams, description="the cameras")
    storage: StorageParams = Field(default_factory=StorageParams, description="how images are processed and stored")

    @model_validator(mode="before")
    @classmethod
    def _start_from_preset(cls, values: Any) -> Any:
        """Lay the given values over those of the preset they name."""
        if not isinstance(values, dict) or values.get("preset", "typical") not in PRESETS:
            return values
        merged = dict(values)
        for section, knobs in PRESETS[values.get("preset", "typical")].items():
            given = merged.get(section, {})
            merged[section] = {**knobs, **given} if isinstance(given, dict) else given
        return merged

    @property
    def hash(self) -> str:
        """Twelve hexadecimal digits that name everything but the seed and the length.

        Settings that came later count where they are used, so that older hashes stay as they are.
        """
        knobs = self.model_dump(mode="json", exclude={"seed", "volumes", "preset"})
        usual: dict[str, Any] = {"anatomy": AnatomyParams(), "optics": OpticsParams()}
        for section, name in LATER:
            if knobs[section][name] == getattr(usual[section], name):
                del knobs[section][name]
        if self.storage == StorageParams():
            del knobs["storage"]
        return hashlib.sha256(json.dumps(knobs, sort_keys=True).encode()).hexdigest()[:12]
