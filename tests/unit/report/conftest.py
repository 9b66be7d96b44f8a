"""One simulated run folder, made once and copied by whoever wants to change it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cases.runs import build_run


@pytest.fixture(scope="session")
def made_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete run folder beside its recording; not to be changed."""
    return build_run(tmp_path_factory.mktemp("run")).path


@pytest.fixture
def copy_run(made_run: Path, tmp_path: Path) -> Callable[..., Path]:
    """Make a copy of the run folder, without the tables named; its recording is that of the original."""

    def copy(*without: str) -> Path:
        folder = tmp_path / "worm"
        shutil.copytree(made_run, folder)
        for name in without:
            (folder / f"{name}.parquet").unlink()
        return folder

    return copy
