"""Two animals, a part of a head and a few neurons are flagged, each with its kind of reason; a whole head is not."""

from typing import get_args

import numpy as np

from cases.volumes import VOXEL_UM, cut_by_border, good_head, second_body, shipped_compass, two_worms
from cender.pipeline.volumes.flags import find_few, find_flags, say_flag
from cender.preprocess import PreprocessParams, find_head
from cender.types import Flag


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


def test_half_a_head_is_flagged_as_such() -> None:
    head = find_head(cut_by_border().red, VOXEL_UM, shipped_compass())
    assert head.doubts == ("part of a head",)
    assert "part of a head" in find_flags(head, PreprocessParams().flag_below)


def test_few_neurons_are_few_for_their_recording() -> None:
    usual = dict.fromkeys(range(10), 60)
    assert find_few(usual) == {}
    few = find_few(usual | {4: 29, 5: 30, 6: 0})
    assert sorted(few) == [4, 6]
    assert "nothing that was found" in few[6]
    assert "29 found, usually 60" in few[4]
    assert find_few(dict.fromkeys(range(10), 8)) == {}, "sparsely labelled"
    assert list(find_few({0: 60, 1: 3})) == [1]
    assert find_few({0: 60, 1: 12}) == {}, "two volumes say nothing about what is usual"
    assert "3 found" in find_few({0: 3})[0]


def test_every_reason_has_words() -> None:
    head = find_head(good_head()[0], VOXEL_UM, shipped_compass())
    for flag in get_args(Flag):
        assert len(say_flag(flag, head)) > 20
