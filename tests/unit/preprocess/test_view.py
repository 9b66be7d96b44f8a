"""Two animals, a part of a head and a few neurons are flagged, each with its kind of reason; a whole head is not."""

import numpy as np
import pytest

from cases.volumes import VOXEL_UM, cut_by_border, good_head, second_body, shipped_compass, two_worms
from cender.errors import UnusableVolume
from cender.merge.params import MergeParams
from cender.pipeline.volumes.flags import FEW_NEURONS, find_flags, say_flag
from cender.pipeline.volumes.volume import process_volume
from cender.preprocess import PreprocessParams, find_head
from cender.types import Detections, Regions, Volume


def test_a_whole_head_alone_is_not_doubted() -> None:
    for red in (good_head()[0], good_head(5902)[0], second_body().red):
        assert find_head(red, VOXEL_UM, shipped_compass()).doubts == ()


def test_two_animals_are_noticed() -> None:
    assert find_head(two_worms().red, VOXEL_UM, shipped_compass()).doubts == ("two animals",)


def test_a_head_that_leaves_the_frame_is_noticed() -> None:
    red, truth = good_head()
    assert truth.head is not None
    y, x = np.rint(truth.head.origin_yx + 5 / 0.3 * truth.head.anterior_yx).astype(int)
    # The frame ends on the side of the nose.
    along = int(np.abs(truth.head.anterior_yx).argmax())
    ahead = truth.head.anterior_yx[along] > 0
    edge = (y, x)[along]
    part = np.take(red, np.arange(edge) if ahead else np.arange(edge, red.shape[1 + along]), axis=1 + along)
    assert "part of a head" in find_head(np.ascontiguousarray(part), VOXEL_UM, shipped_compass()).doubts


def test_half_a_head_is_flagged_or_refused() -> None:
    try:
        head = find_head(cut_by_border().red, VOXEL_UM, shipped_compass())
    except UnusableVolume:
        return
    assert find_flags(head, 60, PreprocessParams().flag_below)


@pytest.mark.parametrize("count", [3, FEW_NEURONS - 1, FEW_NEURONS])
def test_few_neurons_are_a_reason(count: int) -> None:
    red, _ = good_head()
    boxes = np.array([[20.0 + 12 * (n % 40), 20 + 30 * (n // 40), 9, 9] for n in range(count)])

    def detect(image, head, voxel_um):
        return Detections.from_regions(Regions.from_boxes(np.full(count, 8), boxes))

    volume = Volume(0, 0.0, red[None], VOXEL_UM, ("red",))
    outcome = process_volume(volume, shipped_compass(), detect, PreprocessParams(), MergeParams(method="paper"))
    few = count < FEW_NEURONS
    assert outcome.flags == (("few neurons",) if few else ())
    assert outcome.status == ("flagged" if few else "ok")
    assert ("only a few neurons" in outcome.reason) == few


def test_every_reason_has_words() -> None:
    head = find_head(good_head()[0], VOXEL_UM, shipped_compass())
    for flag in ("two animals", "part of a head", "few neurons", "unsure axes"):
        assert len(say_flag(flag, head, 5)) > 20
