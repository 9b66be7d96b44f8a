"""What of an animal is in view: one whole head, a part of one, or two animals."""

import numpy as np
from jaxtyping import Bool, Float

from cender.preprocess.compass import Compass, read_compass
from cender.preprocess.projection import GRID_UM
from cender.preprocess.spots import Spots, find_crowds
from cender.types import HeadDoubt

# A second head is only looked for where enough spots lie apart from the first.
FEWEST_APART = 16
SURE_HEAD = 4.0
"""Log-odds of a head from which on a second one in the image counts as another animal."""
# How far the middle of a head lies from its nose, and from its sides, at least.
NOSE_UM, SIDE_UM = 28.0, 9.0
# So many spots of a head this near to the edge of the frame mean that others lie beyond it.
EDGE_UM, MANY_AT_EDGE = 4.0, 3


def judge_view(
    spots: Spots,
    joined: Bool[np.ndarray, " n"],
    place: Float[np.ndarray, " 2"],
    axes: tuple[Float[np.ndarray, " 2"], Float[np.ndarray, " 2"]],
    compass: Compass,
) -> tuple[HeadDoubt, ...]:
    """What is wrong with the view, if anything.

    Parameters
    ----------
    joined
        The spots that hang together with the head that was found.
    place
        Its middle, in grid coordinates.
    axes
        Its anterior and its ventral direction.
    """
    found: list[HeadDoubt] = []
    if _has_second_head(spots, joined, place, compass):
        found.append("two animals")
    if _is_cut(spots, joined, place, axes):
        found.append("part of a head")
    return tuple(found)


def _has_second_head(
    spots: Spots, joined: Bool[np.ndarray, " n"], place: Float[np.ndarray, " 2"], compass: Compass
) -> bool:
    apart = ~joined & (np.linalg.norm(spots.place - place, axis=1) * GRID_UM > 2 * NOSE_UM)
    if apart.sum() < FEWEST_APART:
        return False
    # The light of the first head is taken off the map, so that it cannot be found again.
    left = spots.map.copy()
    y, x = np.mgrid[: left.shape[0], : left.shape[1]]
    for one in spots.place[~apart]:
        left[(y - one[0]) ** 2 + (x - one[1]) ** 2 < (4 / GRID_UM) ** 2] = 0
    rest = Spots(spots.place[apart], spots.contrast[apart], left)
    return any(read_compass(rest, crowded, compass).head > SURE_HEAD for crowded in find_crowds(rest, most=2))


def _is_cut(
    spots: Spots,
    joined: Bool[np.ndarray, " n"],
    place: Float[np.ndarray, " 2"],
    axes: tuple[Float[np.ndarray, " 2"], Float[np.ndarray, " 2"]],
) -> bool:
    """Whether the head reaches beyond the frame: its nose or one of its sides must, or its spots lie on the edge."""
    anterior, ventral = axes
    last = np.array(spots.map.shape) - 1
    tips = np.stack([anterior * NOSE_UM, ventral * SIDE_UM, -ventral * SIDE_UM]) / GRID_UM + place
    ahead = (spots.place - place) @ anterior * GRID_UM
    head = spots.place[joined & (ahead > -2 * SIDE_UM)]
    at_edge = (np.minimum(head, last - head) * GRID_UM < EDGE_UM).any(axis=1)
    return bool(((tips < 0) | (tips > last)).any() or at_edge.sum() >= MANY_AT_EDGE)
