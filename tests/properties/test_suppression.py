"""What must hold for every suppression of boxes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cender.detect.suppression import suppress_boxes
from cender.types.boxes import overlap_boxes

Boxes = tuple[np.ndarray, np.ndarray, np.ndarray]


@st.composite
def crowds(draw: st.DrawFn) -> Boxes:
    """Boxes in three frames with scores, some of them equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(0, 60))
    boxes = np.column_stack([rng.uniform(0, 30, (count, 2)), rng.uniform(4, 12, (count, 2))])
    return rng.integers(0, 3, count), boxes, rng.integers(0, 10, count) / 10


@given(crowds(), st.floats(0, 0.9))
def test_greedy_is_what_is_done(crowd: Boxes, limit: float) -> None:
    z, boxes, score = crowd
    keep = suppress_boxes(z, boxes, score, limit)
    order = np.lexsort((boxes[:, 3], boxes[:, 2], boxes[:, 1], boxes[:, 0], z, -score))
    kept: list[int] = []
    for row in order:
        rivals = [other for other in kept if z[other] == z[row]]
        overlap = overlap_boxes(boxes[rivals], np.repeat(boxes[row : row + 1], len(rivals), axis=0))
        if not (overlap > limit).any():
            kept.append(int(row))
    assert np.flatnonzero(keep).tolist() == sorted(kept)


@given(crowds())
def test_twice_is_once(crowd: Boxes) -> None:
    z, boxes, score = crowd
    keep = suppress_boxes(z, boxes, score)
    assert suppress_boxes(z[keep], boxes[keep], score[keep]).all()


@given(crowds(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(crowd: Boxes, random) -> None:
    z, boxes, score = crowd
    rows = list(range(len(z)))
    random.shuffle(rows)
    order = np.array(rows, int)
    assert (suppress_boxes(z[order], boxes[order], score[order]) == suppress_boxes(z, boxes, score)[order]).all()
