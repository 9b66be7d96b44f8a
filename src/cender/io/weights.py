"""Weights of networks: safetensors files, which hold numbers and text and never code."""

from importlib.resources import files
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from cender.errors import ModelError
from cender.io.atomic import write_bytes
from cender.types import Weights

FORMAT = "1"


def load_weights(path: Path, *kinds: str) -> Weights:
    """Weights of a file, which must be of one of these kinds.

    Parameters
    ----------
    path
        Safetensors file.
    kinds
        What the weights are for, for example ``dense detector``.
    """
    try:
        with safe_open(path, framework="np") as stored:
            metadata = dict(stored.metadata() or {})
            arrays = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118  (no mapping)
    except FileNotFoundError:
        raise ModelError(f"{path}: there are no such weights") from None
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} is not a safetensors file: {error}") from None
    found = metadata.get("kind", "of another program")
    if found not in kinds:
        raise ModelError(f"{path}: expected weights of a {' or '.join(kinds)}, found {found}")
    if metadata.get("format") != FORMAT:
        raise ModelError(
            f"{path}: weights of format {metadata.get('format')}, this cender reads format {FORMAT}; "
            "update cender or train again"
        )
    return Weights(arrays, metadata)


def save_weights(weights: Weights, path: Path) -> None:
    """Write weights with their metadata, whole or not at all."""
    arrays = {name: np.ascontiguousarray(value) for name, value in weights.arrays.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, save(arrays, metadata={**weights.metadata, "format": FORMAT}))


def shipped_weights(name: str, kind: str) -> Weights:
    """Weights that come with cender."""
    return load_weights(Path(str(files("cender") / "weights" / f"{name}.safetensors")), kind)
