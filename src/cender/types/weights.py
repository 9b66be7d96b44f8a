"""Weights of a network, with what is known about them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, slots=True)
class Weights:
    """Arrays by name, and metadata as text: kind, how they were made, on what, with which figures."""

    arrays: Mapping[str, np.ndarray]
    metadata: Mapping[str, str] = field(default_factory=dict)
