"""Simulated heads to learn from, varied well beyond the presets so that real rigs lie inside."""

from collections.abc import Iterator

import numpy as np

from cender.detect.normalise import STEP_UM
from cender.simulate import SimulateParams, simulate_recording
from cender.training.samples import Sample, crop_around, make_sample
from cender.types import Annotation, VoxelSize

FIELD = (18, 704, 704)
FEWEST = 20


def vary_params(seed: int, rng: np.random.Generator) -> SimulateParams:
    """A random microscope and animal, between an easy and a very hard one."""
    preset = str(rng.choice(["easy", "typical", "typical", "hard", "hard"]))
    base = SimulateParams.model_validate({"preset": preset})
    optics, anatomy, camera = base.optics, base.anatomy, base.camera
    wide, deep = float(rng.uniform(0.9, 1.25)), float(rng.uniform(0.9, 1.3))
    knobs = {
        "preset": preset,
        "seed": seed,
        "volumes": 400,
        "shape": FIELD,
        "voxel_um": (float(rng.uniform(1.3, 1.7)), 0.3, 0.3),
        "anatomy": {
            "diameter_um": tuple(wide * size for size in anatomy.diameter_um),
            "half_depth_um": tuple(deep * size for size in anatomy.half_depth_um),
        },
        "optics": {
            "peak_counts": optics.peak_counts * float(np.exp(rng.uniform(-0.3, 1.2))),
            "haze": optics.haze * float(np.exp(rng.uniform(-1.0, 0.9))),
            "body_glow": optics.body_glow * float(np.exp(rng.uniform(-1.0, 0.9))),
            "neuropil": optics.neuropil * float(np.exp(rng.uniform(-1.0, 0.9))),
            "debris": int(rng.integers(0, 7)),
        },
        "camera": {"read_noise": camera.read_noise * float(rng.uniform(0.6, 1.2))},
    }
    return SimulateParams.model_validate(knobs)


def make_simulated_samples(animals: int, volumes: int, seed: int) -> Iterator[Sample]:
    """Heads of ``animals`` simulated animals, each in ``volumes`` postures far apart in time."""
    for index in range(animals):
        rng = np.random.default_rng((seed, index))
        params = vary_params(seed + index, rng)
        simulation = simulate_recording(params)
        # The network must stand frames that are somewhat nearer or farther apart than its own, so none are resampled.
        voxel = VoxelSize(STEP_UM, *params.voxel_um[1:])
        for volume in rng.choice(params.volumes, volumes, replace=False):
            annotation = _restep(simulation.annotate(int(volume)), STEP_UM / params.voxel_um[0])
            if len(annotation) >= FEWEST:
                red = simulation.recording.volume(int(volume), (0,)).data[0]
                crop = crop_around(annotation, FIELD[1:], voxel, float(rng.uniform(6, 16)))
                yield make_sample(red, annotation, voxel, crop)


def _restep(annotation: Annotation, factor: float) -> Annotation:
    """The same annotation with its depths, in micrometres, stretched."""
    return Annotation(
        annotation.volume,
        annotation.centre_um * np.array([factor, 1, 1]),
        annotation.identity,
        annotation.probability,
        annotation.regions,
    )
