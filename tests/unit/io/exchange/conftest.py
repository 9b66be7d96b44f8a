"""Run folders to export from and to import into."""

from pathlib import Path

import pytest

from cases.exchanged import SHAPE, VOLUMES, make_worm
from cases.recorded import VOXEL
from cender.io import create_run


@pytest.fixture
def worm(tmp_path: Path) -> Path:
    """A run folder with results."""
    return make_worm(tmp_path)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A run folder of the same recording in which nothing has been said yet."""
    facts = {"voxel_um": list(VOXEL), "rate_hz": 5.0, "shape": [VOLUMES, 2, *SHAPE]}
    return create_run(tmp_path / "other", {"recording": facts}).path
