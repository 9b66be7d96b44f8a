"""Whether a recording has the size that a recognizer knows heads to have."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from cender.config import Config
from cender.pipeline.recording.recognizer.weights import load_recognizer
from cender.recognize.frame import UNIT_UM, place_points
from cender.types import Annotation

SAMPLED = 30
# A few neurons that a person named may all lie in one corner of the head.
FEWEST = 50
# Heads of adults differ by less; a voxel size that is wrong is mostly wrong by far more.
LARGEST_RATIO = 1.5
_AXES = ("along z", "in the image plane")


def find_scale_doubt(volumes: Sequence[Annotation], config: Config) -> list[str]:
    """What to say where the neurons of a recording spread otherwise than those that its recognizer learnt from.

    A recognizer that was taught on another voxel size is no mistake by itself, because it knows micrometres. But where
    one of the two voxel sizes is wrong, or the animal is another one, its names are worth nothing.
    """
    if config.recognize.weights is None:
        return []
    arrays = load_recognizer(Path(config.recognize.weights)).arrays
    if "references.position" not in arrays:
        return []
    known = np.concatenate([arrays[name] for name in ("references.position", "references.other") if name in arrays], 1)
    learnt = _measure(one[np.isfinite(one).all(axis=1)] for one in known.astype(float))
    step = max(1, len(volumes) // SAMPLED)
    here = _measure(place_points(one.centre_um) for one in volumes[::step])
    if learnt is None or here is None:
        return []
    return [
        f"the neurons spread over {now:.0f} µm {axis}, those that the recognizer learnt from over {before:.0f} µm: "
        "names are doubtful; is the voxel size right (recording.voxel_um), there and here?"
        for axis, before, now in zip(_AXES, learnt.tolist(), here.tolist(), strict=True)
        if not 1 / LARGEST_RATIO < now / max(before, 1e-9) < LARGEST_RATIO
    ]


def _measure(clouds: Iterable[Float[np.ndarray, "_ 3"]]) -> Float[np.ndarray, " 2"] | None:
    """Typical extent along z and in the plane in micrometres, None where there are too few neurons to know."""
    sizes = []
    for cloud in clouds:
        if len(cloud) >= FEWEST:
            centred = cloud - np.median(cloud, axis=0)
            away = np.stack([np.abs(centred[:, 0]), np.linalg.norm(centred[:, 1:], axis=1)])
            sizes.append(2 * UNIT_UM * np.percentile(away, 80, axis=1))
    return np.median(sizes, axis=0) if sizes else None
