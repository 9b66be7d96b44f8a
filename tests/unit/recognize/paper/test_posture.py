"""The worm's own coordinates: the same however it lies, with a head or without."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cender.errors import DataError, UnusableVolume
from cender.recognize.paper.posture import find_posture
from cender.types import Annotation, Crop, Head, Regions, VoxelSize

VOXEL_UM = np.array([1.5, 0.3, 0.3])


def make_head(anterior: tuple[float, float], ventral: tuple[float, float]) -> Head:
    return Head(Crop(0, 0, 9, 9), np.zeros((0, 2)), np.zeros(2), np.array(anterior), np.array(ventral))


def make_worm(count: int = 40, seed: int = 0) -> np.ndarray:
    """Left, anterior, ventral; a long tail behind."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.normal(0, 6, count), 20 - rng.exponential(30, count), rng.normal(0, 7, count)], axis=1)


def test_points_follow_the_head() -> None:
    worm = make_worm()
    # Anterior to the right of the image (+x), ventral up (+y): a right-handed system with left towards -z.
    image = np.stack([-worm[:, 0], worm[:, 2], worm[:, 1]], axis=1)
    annotation = replace(Annotation.from_points(0, image), head=make_head((0.0, 2.0), (0.3, 0.1)))
    found = find_posture(annotation, "head").objects
    assert np.allclose(found, worm - worm.mean(axis=0))


@pytest.mark.parametrize("angle", [0.4, 1.9, 3.0, -2.2])
@pytest.mark.parametrize("with_head", [True, False])
def test_turning_and_moving_the_worm_changes_nothing(angle: float, with_head: bool) -> None:
    worm = make_worm()
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = np.concatenate([worm[:, :1], worm[:, 1:] @ turn.T], axis=1) + np.array([4.0, 100.0, -30.0])
    heads = [make_head((1.0, 0.0), (0.0, 1.0)), make_head(tuple(turn[:, 0]), tuple(turn[:, 1]))]
    first, second = (
        find_posture(replace(Annotation.from_points(0, points), head=head), "head" if with_head else "points")
        for points, head in zip([worm, moved], heads, strict=True)
    )
    assert not np.allclose(worm - worm.mean(0), moved - moved.mean(0), atol=1)
    assert np.allclose(first.objects, second.objects)
    assert np.allclose(first.span_um, second.span_um)


def test_worm_on_its_other_side_is_turned_over_and_not_mirrored() -> None:
    worm = make_worm()
    over = worm * (-1, 1, -1)
    mirrored = worm * (1, 1, -1)
    upright = find_posture(replace(Annotation.from_points(0, worm), head=make_head((1.0, 0.0), (0.0, 1.0))), "head")
    other = find_posture(replace(Annotation.from_points(0, over), head=make_head((1.0, 0.0), (0.0, -1.0))), "head")
    mirror = find_posture(replace(Annotation.from_points(0, mirrored), head=make_head((1.0, 0.0), (0.0, -1.0))), "head")
    assert np.allclose(upright.objects, other.objects)
    assert not np.allclose(upright.objects, mirror.objects, atol=1)


def test_long_tail_points_backwards_without_a_head() -> None:
    along = find_posture(Annotation.from_points(0, make_worm()), "points").objects[:, 1]
    assert (along**3).sum() < 0
    assert along.std() > 20


def test_regions_lie_with_their_neurons() -> None:
    worm = make_worm(12) + np.array([40.0, 60.0, 50.0])
    frame = np.rint(worm[:, 0] / VOXEL_UM[0]).astype(int)
    worm[:, 0] = frame * VOXEL_UM[0]
    around = np.repeat(np.arange(12), 3)
    z = frame[around] + np.tile([-1, 0, 1], 12)
    y, x = (worm[around, 1:] / VOXEL_UM[1:]).T
    boxes = np.stack([x - 4, y - 4, np.full(36, 9.0), np.full(36, 9.0)], axis=1)
    regions = Regions.from_boxes(z, boxes, neuron=around)
    boxed = replace(Annotation.from_points(0, worm), regions=regions, voxel_um=VoxelSize(*VOXEL_UM))
    posture = find_posture(boxed, "points")
    points, owner = posture.points("regions")
    assert np.allclose(points[1::3], posture.objects, atol=1e-6)
    assert np.allclose(np.abs(points[2::3, 0] - points[1::3, 0]), 1.5)
    assert owner.tolist() == around.tolist()
    assert posture.span_um[0] == pytest.approx(np.ptp(worm[:, 0]) + 3)


def test_objects_stand_in_for_regions() -> None:
    posture = find_posture(Annotation.from_points(0, make_worm(5)), "points")
    points, owner = posture.points("regions")
    assert points is posture.objects
    assert owner.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_hardly_any_neuron(count: int) -> None:
    posture = find_posture(Annotation.from_points(0, make_worm(count)), "points")
    assert posture.objects.shape == (count, 3)
    assert np.isfinite(posture.span_um).all()


def test_axes_of_a_head_that_is_not_there_are_refused() -> None:
    with pytest.raises(UnusableVolume, match="volume 31: expected the axes of a head"):
        find_posture(Annotation.from_points(31, make_worm()), "head")


def test_missing_coordinates_are_refused_with_their_row() -> None:
    worm = make_worm(6)
    worm[4, 1] = np.nan
    with pytest.raises(DataError, match=r"volume 31.*nan.*row 4 of its neurons"):
        find_posture(Annotation.from_points(31, worm), "points")
    boxes = np.array([[1.0, 1.0, 4.0, 4.0], [1.0, np.inf, 4.0, 4.0]])
    regions = Regions.from_boxes(np.array([0, 1]), boxes)
    boxed = replace(Annotation.from_points(7, make_worm(6)), regions=regions, voxel_um=VoxelSize(*VOXEL_UM))
    with pytest.raises(DataError, match=r"volume 7.*inf.*row 1 of its regions"):
        find_posture(boxed, "points")


@pytest.mark.real
def test_no_volume_of_a_freely_moving_worm_is_turned_round(real_data: Path) -> None:
    with np.load(real_data / "nerve.npz") as stored:
        volume, centre_um, identity = stored["volume"], stored["xyz_um"][:, ::-1].astype(float), stored["identity"]
    postures = [
        (
            find_posture(Annotation.from_points(int(one), centre_um[volume == one]), "points").objects[:, 1],
            identity[volume == one],
        )
        for one in np.unique(volume)
    ]
    along, names = (np.concatenate(column) for column in zip(*postures, strict=True))
    usual = {name: along[names == name].mean() for name in np.unique(names)}
    turned = [
        sum(place * usual[name] for place, name in zip(*posture, strict=True) if name >= 0) < 0 for posture in postures
    ]
    assert len(turned) > 900
    assert not any(turned)
