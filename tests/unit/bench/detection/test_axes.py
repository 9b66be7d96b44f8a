"""The figures of the axes: worked out by hand on made-up volumes."""

import numpy as np
import pytest

from cender.bench.detection.axes import Case, _sum_up
from cender.types import Annotation, Crop, Head, Regions, VoxelSize


def head(anterior: float, quality: float = 0.9) -> Head:
    return Head(
        Crop(0, 0, 50, 50),
        np.zeros((3, 2)),
        np.zeros(2),
        np.array([0.0, anterior]),
        np.array([1.0, 0.0]),
        quality,
        quality,
    )


def truth() -> Annotation:
    regions = Regions.from_boxes(np.zeros(2, int), np.array([[5.0, 5, 9, 9], [48.0, 5, 9, 9]]), neuron=np.arange(2))
    return Annotation(
        0, np.zeros((2, 3)), np.arange(2), np.ones(2), regions, head(1.0), voxel_um=VoxelSize(1.5, 0.3, 0.3)
    )


def case(found: Head | None, *events: str) -> Case:
    return Case(found, 5.0, truth(), events, 0.5)


def test_flagged_volumes_do_not_count_as_wrong() -> None:
    cases = [case(head(1.0)), case(head(1.0)), case(head(-1.0)), case(head(-1.0, 0.2), "twist"), case(None)]
    figures = _sum_up(cases, 10_000)
    assert figures["accuracy"] == pytest.approx(2 / 3)
    assert figures["accuracy_all"] == pytest.approx(2 / 5)
    assert figures["flagged"] == pytest.approx(2 / 5)
    assert figures["flagged_by_event"]["twist"] == 1
    assert figures["flagged_by_event"]["omega turn"] is None
    assert figures["crop_share"] == pytest.approx(0.25)


def test_a_neuron_cut_by_the_crop_is_outside() -> None:
    assert case(head(1.0)).inside == (1, 2)
    assert case(None).inside == (0, 2)
