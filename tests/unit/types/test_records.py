"""The records are frozen, check the shapes of their arrays under test, and know the conventions of coordinates."""

import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from jaxtyping import TypeCheckError

import cender.types
from cender.errors import DataError, IncompleteRecording, UnusableVolume
from cender.types import (
    Annotation,
    Annotations,
    Crop,
    Head,
    Identities,
    Missing,
    Neurons,
    Recording,
    Regions,
    Volume,
    VoxelSize,
)

RECORDS = [
    kind
    for name in cender.types.__all__
    if is_dataclass(kind := getattr(cender.types, name)) and isinstance(kind, type)
]


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_records_are_frozen_and_have_no_room_for_more(kind: type[Any]) -> None:
    record = object.__new__(kind)
    with pytest.raises(FrozenInstanceError):
        setattr(record, fields(kind)[0].name, None)
    assert not hasattr(record, "__dict__")


def make_head(**changes: Any) -> Head:
    values = {
        "crop": Crop(0, 0, 4, 4),
        "outline_yx": np.zeros((3, 2)),
        "origin_yx": np.zeros(2),
        "anterior_yx": np.array([1.0, 0.0]),
        "ventral_yx": np.array([0.0, 1.0]),
    }
    return Head(**(values | changes))


def make_regions(**changes: Any) -> Regions:
    values = {
        "z": np.zeros(2, int),
        "box_px": np.ones((2, 4)),
        "score": np.ones(2),
        "neuron": np.zeros(2, int),
        "intensity": np.ones(2),
    }
    return Regions(**(values | changes))


def make_neurons(**changes: Any) -> Neurons:
    values = {
        "centre_px": np.zeros((2, 3)),
        "z_first": np.zeros(2, int),
        "z_last": np.zeros(2, int),
        "score": np.ones(2),
        "regions": Regions.empty(),
    }
    return Neurons(**(values | changes))


def make_annotation(**changes: Any) -> Annotation:
    values = {
        "volume": 0,
        "centre_um": np.zeros((2, 3)),
        "identity": np.zeros(2, int),
        "probability": np.ones(2),
        "regions": Regions.empty(),
    }
    return Annotation(**(values | changes))


@pytest.mark.parametrize(
    ("make", "changes"),
    [
        (make_head, {"outline_yx": np.zeros((3, 3))}),
        (make_head, {"anterior_yx": np.zeros(3)}),
        (make_head, {"origin_yx": np.zeros(2, int)}),
        (make_regions, {"box_px": np.ones((2, 5))}),
        (make_regions, {"score": np.ones(3)}),
        (make_regions, {"z": np.zeros(2)}),
        (make_neurons, {"centre_px": np.zeros((2, 2))}),
        (make_neurons, {"z_last": np.zeros(1, int)}),
        (make_annotation, {"identity": np.zeros(3, int)}),
        (make_annotation, {"centre_um": np.zeros(3)}),
        (make_annotation, {"probability": np.ones(2, int)}),
        (Identities, {"identity": np.zeros(2, int), "probability": np.ones(3)}),
    ],
)
def test_wrong_shape_is_noticed(make: Any, changes: dict[str, Any]) -> None:
    if make is not Identities:
        make()
    with pytest.raises(TypeCheckError):
        make(**changes)


def test_centre_of_a_box_counts_pixels_by_their_centres() -> None:
    # Pixels 10, 11, 12: the middle one is 11. One pixel alone is its own centre.
    regions = Regions.from_boxes(np.array([4, 5]), np.array([[10.0, 20, 3, 4], [7, 8, 1, 1]]))
    assert regions.centre_px.tolist() == [[4, 21.5, 11], [5, 8, 7]]


def test_regions_can_be_selected_by_rows_or_mask() -> None:
    regions = Regions.from_boxes(np.arange(3), np.arange(12.0).reshape(3, 4), neuron=np.array([5, 6, 7]))
    assert regions.select(np.array([2, 0])).neuron.tolist() == [7, 5]
    assert regions.select(np.array([False, True, False])).z.tolist() == [1]
    assert (len(Regions.empty()), len(Neurons.empty())) == (0, 0)


def test_points_without_identities_have_none() -> None:
    annotation = Annotation.from_points(3, np.zeros((2, 3)))
    assert (len(annotation), annotation.identity.tolist()) == (2, [-1, -1])


def test_boxes_need_a_voxel_size_to_have_a_place() -> None:
    boxes = Regions.from_boxes(np.array([4]), np.array([[10.0, 20, 3, 5]]), neuron=np.array([1]))
    assert make_annotation(voxel_um=None).region_um.shape == (0, 3)
    assert make_annotation(regions=boxes, voxel_um=VoxelSize(1.5, 0.5, 0.25)).region_um.tolist() == [[6, 11, 2.75]]
    with pytest.raises(DataError, match=r"volume 0: expected a voxel size.*voxel_um \(z, y, x\)"):
        make_annotation(regions=boxes)


def make_recording(**changes: Any) -> Recording:
    def read(index: int, channels: tuple[int, ...]) -> np.ndarray:
        return np.full((len(channels), 1, 2, 2), 10 * index) + np.array(channels).reshape(-1, 1, 1, 1)

    values = {
        "source": "worm.tif",
        "format": "tiff",
        "shape": (5, 2, 1, 2, 2),
        "dtype": np.dtype("uint16"),
        "read": read,
        "rate_hz": 2.0,
        "roles": ("green", "red"),
    }
    return Recording(**(values | changes))


def test_volume_knows_its_time_and_channels() -> None:
    recording = make_recording()
    volume = recording.volume(3)
    assert (volume.index, volume.time_s) == (3, 1.75)
    assert volume.red is not None
    assert (volume.red[0, 0, 0], volume.data[0, 0, 0, 0]) == (31, 30)
    assert recording.volume(-1).index == 4
    only_green = recording.volume(1, (0,))
    assert only_green.red is None
    assert only_green.green is not None
    assert Volume(0, 0.0, volume.data).red is None
    assert recording.volume_bytes == 16
    with pytest.raises(IndexError, match=r"volume 5 of worm\.tif: it has 5 volumes \(0 to 4\)"):
        recording.volume(5)


def test_what_the_stages_work_on_has_no_gaps() -> None:
    both = make_recording(voxel_um=VoxelSize(1.5, 0.3, 0.3))
    assert both.scale == both.volume(2).stack.voxel_um
    assert both.volume(2).stack.image[0, 0, 0] == 21, "red"
    assert both.volume(2, (0,)).stack.image[0, 0, 0] == 20, "green where there is no red"
    with pytest.raises(UnusableVolume, match="no voxel size"):
        _ = make_recording().volume(0).stack
    with pytest.raises(UnusableVolume, match="no red or green channel"):
        _ = make_recording(roles=None).volume(0).stack
    with pytest.raises(IncompleteRecording, match=r"recording\.voxel_um"):
        _ = make_recording().scale
    with pytest.raises(DataError, match=r"worm does not say its voxel size.*truth\.toml"):
        _ = Annotations("worm", None, None, {}).scale


def test_the_kind_of_an_unusable_volume_survives_the_way_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(UnusableVolume("nothing is here", "blank")))  # noqa: S301  (our own)
    assert (str(error), error.kind) == ("nothing is here", "blank")


def test_limited_recording_keeps_its_times() -> None:
    recording = make_recording()
    part = recording.limited(2, 4)
    assert [volume.time_s for volume in part] == [recording.time_s(2), recording.time_s(3)]
    assert [int(volume.data[0, 0, 0, 0]) for volume in part] == [20, 30]
    timed = make_recording(times_s=np.arange(5.0) ** 2).limited(3, 5)
    assert [timed.time_s(0), timed.time_s(1)] == [9, 16]
    assert np.isnan(make_recording(rate_hz=None).time_s(0))


def test_what_is_missing_is_asked_for_by_its_setting() -> None:
    lacking = make_recording(missing=(Missing("voxel size", "recording.voxel_um=[1.5,0.3,0.3]"),))
    assert lacking.require("rate") is lacking
    with pytest.raises(IncompleteRecording, match=r"does not say its voxel size; give --set recording\.voxel_um="):
        lacking.require("rate", "voxel size")
    assert VoxelSize(1.5, 0.3, 0.3).z_um == 1.5
