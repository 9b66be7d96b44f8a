"""Simulated heads to learn from, varied well beyond the presets so that real rigs lie inside."""

from collections.abc import Iterator

import numpy as np

from cender.detect.normalise import USUAL_GRIDS, USUAL_UM, Grids
from cender.simulate import SimulateParams, simulate_recording
from cender.simulate.rigs import draw_rig
from cender.training.detector.samples import Sample, crop_around, make_sample
from cender.types import VoxelSize

SIDE_PX = 704
"""Side of the simulated frames."""
PIXEL_UM = 0.3
"""Their pixel size."""
# Depth that is seen, and how far apart frames are: mostly as on the paper's rig, else anything that is in use.
DEPTH_UM = 27.0
STEP_UM = (1.3, 1.7)
"""Smallest and largest distance between frames."""
ANY_STEP_UM = (0.95, 1.8)
"""The same for animals that may be recorded in thinner or thicker steps."""
ANY_SHARE = 0.5
"""Share of the animals that are."""
FEWEST = 20
"""Neurons that a volume must show to be learnt from."""
# Random rigs that are drawn at most for one with a background, or without.
ATTEMPTS = 50
# Random rigs with usual voxels are drawn from seeds that no other rig comes from.
USUAL_SEED = 1_000_000
# How long nuclei are; in real heads many are half as long again as wide.
ELONGATION = (0.05, 0.3)
SHAPE_STREAM = 1
"""Marks the random numbers that draw it, so that all else stays as it was."""
OTHER_SHARE = 0.3
"""Share of the animals that are simulated with the settings of `OTHER`."""
# Factors on the preset's own values.
USUAL = {
    "width": (0.85, 1.2),
    "depth": (0.8, 1.25),
    "light": (0.75, 3.0),
    "haze": (0.4, 2.5),
    "glow": (0.4, 2.5),
    "noise": (0.6, 1.2),
}
OTHER = {
    "width": (0.85, 1.5),
    "depth": (0.8, 2.2),
    "light": (3.0, 12.0),
    "haze": (1.5, 9.0),
    "glow": (1.0, 6.0),
    "noise": (0.4, 1.0),
}


def vary_params(seed: int, rng: np.random.Generator) -> SimulateParams:
    """A random microscope and animal, between an easy and a very hard one; some are of another kind altogether.

    Stacks of immobile animals, for example, are bright and hazy, with nuclei drawn out in depth.
    """
    preset = str(rng.choice(["easy", "typical", "typical", "hard", "hard"]))
    base = SimulateParams.model_validate({"preset": preset})
    ranges = OTHER if rng.random() < OTHER_SHARE else USUAL
    draw = {knob: float(np.exp(rng.uniform(*np.log(bounds)))) for knob, bounds in ranges.items()}
    optics, anatomy, camera = base.optics, base.anatomy, base.camera
    step_um = float(np.exp(rng.uniform(*np.log(ANY_STEP_UM if rng.random() < ANY_SHARE else STEP_UM))))
    knobs = {
        "preset": preset,
        "seed": seed,
        "volumes": 400,
        "shape": (round(DEPTH_UM / step_um), SIDE_PX, SIDE_PX),
        "voxel_um": (step_um, PIXEL_UM, PIXEL_UM),
        "anatomy": {
            "diameter_um": tuple(draw["width"] * size for size in anatomy.diameter_um),
            "half_depth_um": tuple(draw["depth"] * size for size in anatomy.half_depth_um),
        },
        "optics": {
            "peak_counts": optics.peak_counts * draw["light"],
            "haze": optics.haze * draw["haze"],
            "body_glow": optics.body_glow * draw["glow"],
            "neuropil": optics.neuropil * draw["glow"],
            "debris": int(rng.integers(0, 7)),
        },
        "camera": {"read_noise": camera.read_noise * draw["noise"]},
    }
    return SimulateParams.model_validate(knobs)


def vary_spacing(params: SimulateParams, rng: np.random.Generator) -> SimulateParams:
    """The same microscope with an animal whose neurons lie as close as in real heads, or not so close."""
    closer = {"closest_um": float(rng.uniform(1.2, 3.06)), "packing": float(rng.uniform(0.84, 1.0))}
    return params.model_copy(update={"anatomy": params.anatomy.model_copy(update=closer)})


def vary_shape(params: SimulateParams, rng: np.random.Generator) -> SimulateParams:
    """The same microscope with an animal whose nuclei are as round as those of the presets, or longer."""
    longer = {"elongation": float(rng.uniform(*ELONGATION))}
    return params.model_copy(update={"anatomy": params.anatomy.model_copy(update=longer)})


def match_rig(voxel_um: VoxelSize, frames: int, removed: bool, seed: int) -> SimulateParams:
    """A random animal and light on a microscope with these voxels and frames, its background removed or not."""
    for attempt in range(seed, seed + ATTEMPTS):
        drawn = draw_rig(attempt, 400)
        if bool(drawn.storage.remove_background) == removed:
            break
    rows, columns = (np.array(drawn.shape) * drawn.voxel_um / np.array(voxel_um))[1:].astype(int).tolist()
    return drawn.model_copy(update={"seed": seed, "voxel_um": tuple(voxel_um), "shape": (frames, rows, columns)})


def draw_usual_rig(seed: int, rng: np.random.Generator) -> SimulateParams:
    """A random animal, light and way of storing images, on a microscope whose voxels the fast network is used for."""
    step_um, pixel_um = np.exp(rng.uniform(*np.log(np.array(USUAL_UM)[:, :2]))).tolist()
    voxel_um = VoxelSize(step_um, pixel_um, pixel_um)
    return match_rig(voxel_um, round(DEPTH_UM / step_um), removed=False, seed=USUAL_SEED + ATTEMPTS * seed)


def make_simulated_samples(
    animals: int, volumes: int, seed: int, rigs: float = 0.0, grids: Grids = USUAL_GRIDS
) -> Iterator[Sample]:
    """Heads of ``animals`` simulated animals, each in ``volumes`` postures far apart in time.

    Parameters
    ----------
    rigs
        Share of the animals that are seen by a random rig (`cender.simulate.rigs`), with usual voxels and a background
        where the network is meant for these; where there are any, neurons of the other animals lie as close as in real
        heads.
    """
    for index in range(animals):
        rng = np.random.default_rng((seed, index))
        if rng.random() < rigs:
            params = draw_usual_rig(seed + index, rng) if grids == USUAL_GRIDS else draw_rig(seed + index, 400)
        else:
            params = vary_params(seed + index, rng)
            params = vary_spacing(params, rng) if rigs else params
        params = vary_shape(params, np.random.default_rng((seed, index, SHAPE_STREAM)))
        yield from draw_samples(params, volumes, rng, grids)


def draw_samples(
    params: SimulateParams, volumes: int, rng: np.random.Generator, grids: Grids = USUAL_GRIDS
) -> Iterator[Sample]:
    """Heads of one simulated animal in ``volumes`` postures, but for those that show hardly any neuron."""
    simulation = simulate_recording(params)
    voxel = VoxelSize(*params.voxel_um)
    for volume in rng.choice(params.volumes, volumes, replace=False):
        annotation = simulation.annotate(int(volume))
        if len(annotation) >= FEWEST:
            red = simulation.recording.volume(int(volume), (0,)).data[0]
            crop = crop_around(annotation, params.shape[1:], voxel, float(rng.uniform(6, 16)))
            yield make_sample(red, annotation, voxel, crop, simulation.others_um(int(volume)), grids=grids)
