"""Neurons found in real images take the identities of the points that people marked."""

from pathlib import Path

import numpy as np
import pytest

from cender.bench.identity import marked
from cender.bench.identity.data import open_subjects
from cender.config import Config
from cender.errors import DataError
from cender.types import Neurons, Outcome, Regions

FOUND_PX = np.array([[3.0, 31.0, 20.0], [3.0, 50.0, 60.0], [1.0, 5.0, 5.0]])


@pytest.fixture
def points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two volumes with three marked points, of which the machine finds two and something else."""
    place = np.full((2, 4, 3), np.nan)
    place[:, :3] = [[20, 30, 2], [60, 50, 3], [70, 70, 4]]
    path = tmp_path / "moving.npz"
    np.savez(path, volumes=np.zeros((2, 2, 90, 80, 6), np.uint8), points_xyz=place)

    def process(volume, *_) -> Outcome:
        count = len(FOUND_PX)
        boxes = np.column_stack([FOUND_PX[:, ::-1][:, :2], np.full((count, 2), 5.0)])
        regions = Regions.from_boxes(FOUND_PX[:, 0].astype(int), boxes, neuron=np.arange(count))
        frame = FOUND_PX[:, 0].astype(int)
        return Outcome(volume.index, 0.0, "ok", neurons=Neurons(FOUND_PX, frame, frame, np.ones(count), regions))

    monkeypatch.setattr(marked, "process_volume", process)
    monkeypatch.setattr(marked, "build_detector", lambda *_: None)
    return path


def test_findings_near_a_point_take_its_identity(points: Path) -> None:
    subject, again = open_subjects(str(points), Config(), 2, images=True)
    assert subject is again
    assert subject.taught[1].identity.tolist() == [0, 1, -1]
    assert (subject.seen[1].identity == -1).all()
    assert sorted(subject.truth.annotations[1].identity.tolist()) == [0, 1, 2]
    np.testing.assert_allclose(subject.truth.annotations[1].centre_um[0], FOUND_PX[0] * (2.2, 0.5, 0.5))
    np.testing.assert_allclose(subject.truth.annotations[1].centre_um[2], np.array([4, 70, 70]) * (2.2, 0.5, 0.5))


def test_a_file_without_images_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "points.npz", points_xyz=np.zeros((2, 3, 3)))
    with pytest.raises(DataError, match="expected an NPZ file with volumes and points_xyz for --images"):
        open_subjects(str(tmp_path / "points.npz"), Config(), 1, images=True)
