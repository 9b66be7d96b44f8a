"""Small recordings for the tests of the formats."""

import numpy as np
import pytest


@pytest.fixture
def movie() -> np.ndarray:
    """Six volumes of two channels and five frames, ``t c z y x``, no two pixels alike."""
    count = 6 * 2 * 5 * 12 * 16
    return np.random.default_rng(7).permutation(count).astype(np.uint16).reshape(6, 2, 5, 12, 16)
