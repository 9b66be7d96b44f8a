"""Whether a recording has the size that a recognizer knows heads to have."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from cender.config import Config
from cender.pipeline.recording.recognizer.weights import load_recognizer
from cender.recognize.frame import UNIT_UM
from cender.recognize.spread import measure_spread
from cender.types import Annotation, Weights

SAMPLED = 30
"""About how many volumes, evenly spread, the size of the head is taken from."""
# Heads of adults differ by less; a voxel size that is wrong is mostly wrong by far more.
LARGEST_RATIO = 1.5
_AXES = ("along z", "in the image plane")


def find_scale_doubt(volumes: Sequence[Annotation], config: Config) -> list[str]:
    """What to say where the neurons of a recording spread otherwise than those that its recognizer learnt from.

    A recognizer that was taught on another voxel size is no mistake by itself, because it knows micrometres. But where
    one of the two voxel sizes is wrong, or the animal is another one, its identities are worth nothing.
    """
    if config.recognize.weights is None:
        return []
    learnt = _recall_spread(load_recognizer(Path(config.recognize.weights)))
    step = max(1, len(volumes) // SAMPLED)
    here = measure_spread(one.centre_um for one in volumes[::step])
    if learnt is None or here is None:
        return []
    return [
        f"the neurons spread over {now:.0f} µm {axis}, those that the recognizer learnt from over {before:.0f} µm: "
        "identities are doubtful; is the voxel size right (recording.voxel_um), there and here?"
        for axis, before, now in zip(_AXES, learnt.tolist(), here.tolist(), strict=True)
        if not 1 / LARGEST_RATIO < now / max(before, 1e-9) < LARGEST_RATIO
    ]


def _recall_spread(weights: Weights) -> Float[np.ndarray, " 2"] | None:
    """How far the neurons spread that a recognizer learnt from; ours keeps their places, the paper's says it."""
    arrays = weights.arrays
    if "references.position" in arrays:
        parts = [arrays[name] for name in ("references.position", "references.other") if name in arrays]
        known = UNIT_UM * np.concatenate(parts, axis=1).astype(float)
        return measure_spread(one[np.isfinite(one).all(axis=1)] for one in known)
    said = weights.metadata.get("spread_um")
    return None if said is None else np.array(json.loads(said), float)
