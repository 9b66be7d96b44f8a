"""The recognizer that a run used, kept in its folder: what it says can be asked again without training."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Int

from cender.io.weights import load_weights, save_weights
from cender.pipeline.recording.recognizer.weights import KIND, PAPER_KIND, unpack_recognizer
from cender.recognize.model import Model
from cender.types import Identities, Weights

FILE = "models/last_recognizer.safetensors"
"""Where a folder keeps the recognizer of its last run."""


@dataclass(frozen=True, slots=True)
class LastRecognizer:
    """The recognizer, and the number of each of its classes in the tables of the run (-1: it is in none)."""

    model: Model
    numbers: Int[np.ndarray, " i"]


def keep_last(
    folder: Path, weights: Weights | None, known: Mapping[int, Identities], numbered: Mapping[int, Identities]
) -> None:
    """Keep the recognizer of a run with the numbers that its identities have in the tables.

    Parameters
    ----------
    weights
        None where the run took identities that were kept: then only the numbers are brought up to date.
    known, numbered
        Identities by volume as the recognizer gave them, and as the tables have them.
    """
    path = folder / FILE
    if weights is None and not path.is_file():
        return
    used = weights if weights is not None else load_weights(path, KIND, PAPER_KIND)
    if used.metadata["kind"] != KIND:
        path.unlink(missing_ok=True)
        return
    seen: Counter[tuple[int, int]] = Counter()
    for volume, one in known.items():
        seen.update(zip(one.identity.tolist(), numbered[volume].identity.tolist(), strict=True))
    number_of: dict[int, int] = {}
    for (before, after), _ in seen.most_common():
        if before >= 0 and after >= 0 and before not in number_of and after not in number_of.values():
            number_of[before] = after
    numbers = np.array([number_of.get(one, -1) for one in used.arrays["identities"].tolist()], np.int64)
    path.parent.mkdir(exist_ok=True)
    save_weights(replace(used, arrays={**used.arrays, "numbers": numbers}), path)


def load_last(folder: Path) -> LastRecognizer | None:
    """The recognizer of the last run of a folder, None where none was kept."""
    path = folder / FILE
    if not path.is_file():
        return None
    weights = load_weights(path, KIND)
    return LastRecognizer(unpack_recognizer(weights), np.asarray(weights.arrays["numbers"], int))
