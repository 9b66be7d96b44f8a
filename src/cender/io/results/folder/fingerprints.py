"""Short names for the content of files, settings and volumes: equal names, equal content."""

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from cender.errors import ModelError

DIGITS = 16
"""Hexadecimal digits of a fingerprint."""


def hash_values(values: Mapping[str, Any]) -> str:
    """A name for nested plain values, whatever the order of their keys."""
    return _shorten(json.dumps(values, sort_keys=True, default=str).encode("utf-8"))


def hash_file(path: Path) -> str:
    """A name for the content of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]


def hash_pixels(data: Shaped[np.ndarray, "..."]) -> str:
    """A name for the pixels of a volume."""
    return _shorten(np.ascontiguousarray(data).tobytes())


def hash_weights(path: str | None, shipped: str) -> str:
    """A name for the weights in use: of a file, or those that come with cender under this name."""
    where = Path(path) if path else Path(str(files("cender") / "weights" / f"{shipped}.safetensors"))
    try:
        return hash_file(where)
    except OSError as error:
        raise ModelError(f"{where}: these weights cannot be read ({error.strerror or error})") from None


def _shorten(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]
