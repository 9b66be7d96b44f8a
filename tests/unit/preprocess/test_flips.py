"""Axes that are wrong in single volumes are put right by the rest of the recording."""

import numpy as np
import pytest

from cender.preprocess import resolve_flips
from cender.types import Crop, Head


def lying(angle: float, confidence: float = 0.95, anterior: int = 1, ventral: int = 1) -> Head:
    """A head whose true anterior is at an angle, with either axis turned over."""
    return Head(
        Crop(0, 0, 10, 10),
        np.zeros((3, 2)),
        np.zeros(2),
        anterior * np.array([np.sin(angle), np.cos(angle)]),
        ventral * np.array([np.cos(angle), -np.sin(angle)]),
        confidence,
        confidence,
    )


ANGLES = 0.4 * np.sin(np.arange(40) * 0.3) + 0.05 * np.arange(40)
TIMES_S = np.arange(40) / 5
WRONG = {5: (-1, 1), 12: (1, -1), 13: (1, -1), 20: (-1, -1), 21: (-1, -1), 22: (-1, -1), 39: (-1, -1)}


def right(heads: list[Head | None]) -> list[bool]:
    truth = [lying(angle) for angle in ANGLES]
    return [
        found is not None and bool(found.anterior_yx @ true.anterior_yx > 0 and found.ventral_yx @ true.ventral_yx > 0)
        for found, true in zip(heads, truth, strict=True)
    ]


def recording() -> list[Head | None]:
    return [lying(angle, 0.6, *WRONG[index]) if index in WRONG else lying(angle) for index, angle in enumerate(ANGLES)]


def test_flips_are_turned_back() -> None:
    heads = recording()
    assert [index for index, good in enumerate(right(heads)) if not good] == list(WRONG)
    resolved = resolve_flips(heads, TIMES_S)
    assert all(right(resolved))


def test_confidence_follows() -> None:
    resolved = resolve_flips(recording(), TIMES_S)
    assert all(head is not None and head.confidence > 0.9 and head.quality > 0.9 for head in resolved)


def test_right_axes_stay() -> None:
    heads: list[Head | None] = [lying(angle) for angle in ANGLES]
    for before, after in zip(heads, resolve_flips(heads, TIMES_S), strict=True):
        assert before is not None
        assert after is not None
        assert np.array_equal(before.anterior_yx, after.anterior_yx)
        assert np.array_equal(before.ventral_yx, after.ventral_yx)


def test_volumes_without_a_head_are_bridged() -> None:
    heads = recording()
    heads[4] = heads[11] = heads[23] = None
    resolved = resolve_flips(heads, TIMES_S)
    assert [index for index, head in enumerate(resolved) if head is None] == [4, 11, 23]
    assert sum(right(resolved)) == len(heads) - 3


def test_a_real_roll_stays() -> None:
    """The worm turns onto its other side for good: half the recording says so with confidence."""
    heads: list[Head | None] = [
        lying(angle, 0.97, ventral=1 if index < 20 else -1) for index, angle in enumerate(ANGLES)
    ]
    resolved = resolve_flips(heads, TIMES_S)
    assert right(resolved) == [index < 20 for index in range(40)]


def test_evidence_outweighs_the_confidence() -> None:
    heads: list[Head | None] = [lying(0.0, 0.5), lying(0.0, 0.5, anterior=-1, ventral=-1)]
    flips = [np.log([0.98, 0.01, 0.005, 0.005]), np.log([0.49, 0.01, 0.01, 0.49])]
    resolved = resolve_flips(heads, TIMES_S[:2], flips)
    assert resolved[1] is not None
    assert resolved[1].anterior_yx @ np.array([0.0, 1.0]) == pytest.approx(1)


def test_nothing_in_nothing_out() -> None:
    assert resolve_flips([], np.zeros(0)) == []
    assert resolve_flips([None, None], np.arange(2.0)) == [None, None]
