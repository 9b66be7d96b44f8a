"""Figures of detection: the closest neurons, random rigs, points of another rig."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cender.bench.detection import rigs
from cender.bench.detection.crowding import measure_blended, measure_crowding
from cender.bench.detection.moving import FILE, WIDER_PX, count_hits, measure_moving
from cender.config import Config
from cender.types import Annotation, Detections, Head, Regions, VoxelSize


def annotate(x: list[float]) -> Annotation:
    count = len(x)
    box = np.column_stack([np.array(x) - 4, np.full(count, 10.0), np.full((count, 2), 9.0)])
    regions = Regions.from_boxes(np.zeros(count, int), box, neuron=np.arange(count))
    centre = np.column_stack([np.zeros(count), np.full(count, 14.0), np.array(x)])
    return Annotation(0, centre, np.full(count, -1), np.ones(count), regions, voxel_um=VoxelSize(1.0, 1.0, 1.0))


def test_recall_is_told_by_distance_to_the_nearest_neighbour() -> None:
    truth = annotate([0, 5, 40, 70, 130, 190, 260, 330])
    quarters = measure_crowding({0: truth}, {0: annotate([0, 40, 70, 130, 190, 260, 330])})
    assert [part["recall"] for part in quarters] == [0.5, 1.0, 1.0, 1.0]
    assert quarters[0]["to_um"] == 5
    assert quarters[-1]["to_um"] == 70


def test_every_finding_counts_for_one_point_within_two_pixels_and_frames() -> None:
    found = np.array([[5.0, 10.0, 10.0]])
    assert count_hits(np.array([[7.0, 10.0, 12.0]]), found) == 1
    assert count_hits(np.array([[7.5, 10.0, 10.0]]), found) == 0
    assert count_hits(np.array([[5.0, 11.5, 11.5]]), found) == 0
    assert count_hits(np.array([[5.0, 11.5, 11.5]]), found, WIDER_PX) == 1
    assert count_hits(np.array([[5.0, 10.0, 10.0], [5.0, 11.0, 10.0]]), found) == 1
    assert count_hits(found, np.zeros((0, 3))) == 0


def find_nothing(red: np.ndarray, head: Head, voxel_um: VoxelSize) -> Detections:
    return Detections.from_regions(Regions.empty())


def test_rigs_without_findings_score_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rigs, "FIRST_SEED", 5002)
    result = rigs.measure_rigs(2, find_nothing, Config())
    assert result["mean_f1"] == result["worst_tenth_f1"] == 0
    assert len(result["rigs"]) == 2


def test_moving_points_are_read_in_their_own_order(tmp_path: Path) -> None:
    volumes = np.random.default_rng(0).integers(0, 50, (2, 2, 90, 80, 6)).astype(np.uint8)
    points = np.full((2, 3, 3), np.nan)
    points[:, :2] = [[20, 30, 2], [60, 50, 3]]
    np.savez(tmp_path / FILE, volumes=volumes, points_xyz=points)
    result = measure_moving(tmp_path / FILE, find_nothing, Config())
    assert result["points"] == 4
    assert result["recall"] == 0
    assert result["flagged"] == pytest.approx(1)


def test_neurons_that_no_image_shows_apart_are_counted() -> None:
    box = np.array([[10.0, 10, 8, 8], [13.0, 10, 8, 8], [40.0, 10, 8, 8], [40.0, 10, 8, 8]])
    frame = np.array([2, 2, 2, 6])
    regions = Regions.from_boxes(frame, box, neuron=np.arange(4))
    centre = np.column_stack([frame, box[:, 1] + 3.5, box[:, 0] + 3.5]) * (1.5, 0.3, 0.3)
    voxel_um = VoxelSize(1.5, 0.3, 0.3)
    truth = replace(Annotation.from_points(0, centre), regions=regions, voxel_um=voxel_um)
    assert measure_blended(truth, voxel_um) == 0.5
    assert measure_blended(Annotation.from_points(0, centre[:1]), voxel_um) == 0
