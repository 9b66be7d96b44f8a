"""Second pass over a recording: axes that were turned over in single volumes are turned back.

A worm cannot turn round between two volumes, nor roll over often. Each volume offers its own axes and the three ways
of turning them over; the likeliest path through them, and how sure each step of it is, follow from the evidence of the
single volumes and from how far the axes move between them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from cender.preprocess.head import spread_flips
from cender.types import Head

# Signs of anterior and ventral in the four flips: as found, anterior over, ventral over, both.
SIGNS = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
JITTER_RAD = 0.5
TURNING_RAD_S = 1.5
LOST = 1e-3
ROLLS_PER_S = 1e-3
# Volumes alike fail alike: evidence is weighed down so that a run of them does not outvote the rest.
TRUST = 0.7


def resolve_flips(
    heads: Sequence[Head | None],
    times_s: Float[np.ndarray, " t"],
    log_flips: Sequence[Float[np.ndarray, " 4"] | None] | None = None,
) -> list[Head | None]:
    """The same heads with axes turned over where the recording as a whole says so, and with its confidence.

    Parameters
    ----------
    heads
        One for each volume, None where there is none.
    times_s
        Middle of each volume.
    log_flips
        What `find_head_and_flips` returned beside each head; from the confidence alone where it is not given.
    """
    known = [index for index, head in enumerate(heads) if head is not None]
    resolved = list(heads)
    found = [head for head in heads if head is not None]
    if not found:
        return resolved
    given = [None if log_flips is None else log_flips[index] for index in known]
    evidence = [
        spread_flips(head.confidence) if flips is None else flips for head, flips in zip(found, given, strict=True)
    ]
    local = TRUST * np.maximum(np.stack(evidence), np.log(1e-4))
    steps_s = np.diff(np.asarray(times_s, float)[known])
    moves = [
        _score_moves(before, after, float(step)) for before, after, step in zip(found, found[1:], steps_s, strict=False)
    ]
    path = _find_path(local, moves)
    sure = np.exp(_weigh(local, moves)[np.arange(len(path)), path])
    for index, head, flip, confidence in zip(known, found, path, sure, strict=True):
        resolved[index] = _turn(head, int(flip), float(confidence))
    return resolved


def _score_moves(before: Head, after: Head, step_s: float) -> Float[np.ndarray, "4 4"]:
    """Log-probability of every flip after every flip before."""
    between = _angle(after.anterior_yx) - _angle(before.anterior_yx)
    turned = np.pi * (SIGNS[None, :, 0] != SIGNS[:, None, 0])
    moved = np.angle(np.exp(1j * (between + turned)))
    width = np.hypot(JITTER_RAD, TURNING_RAD_S * abs(step_s))
    # A share of moves may go anywhere: the volume before or after can be wrong as a whole.
    near = np.exp(-0.5 * (moved / width) ** 2) + LOST
    side = np.sign(_cross(before)) * SIGNS.prod(1)[:, None], np.sign(_cross(after)) * SIGNS.prod(1)[None]
    rolled = min(0.5, ROLLS_PER_S * max(abs(step_s), 0.05))
    return np.asarray(
        np.log(near / near.sum(1, keepdims=True)) + np.log(np.where(side[0] == side[1], 1 - rolled, rolled))
    )


def _find_path(local: Float[np.ndarray, "t 4"], moves: list[Float[np.ndarray, "4 4"]]) -> np.ndarray:
    """Likeliest flip of every volume (Viterbi)."""
    score = local[0]
    came_from = []
    for now, move in zip(local[1:], moves, strict=True):
        total = score[:, None] + move
        came_from.append(total.argmax(0))
        score = total.max(0) + now
    path = [int(score.argmax())]
    for back in reversed(came_from):
        path.append(int(back[path[-1]]))
    return np.array(path[::-1])


def _weigh(local: Float[np.ndarray, "t 4"], moves: list[Float[np.ndarray, "4 4"]]) -> Float[np.ndarray, "t 4"]:
    """Log-probability of every flip given the whole recording (forwards and backwards)."""
    ahead = [local[0]]
    for now, move in zip(local[1:], moves, strict=True):
        ahead.append(logsumexp(ahead[-1][:, None] + move, axis=0) + now)
    back = [np.zeros(4)]
    for now, move in zip(local[:0:-1], moves[::-1], strict=True):
        back.append(logsumexp(move + (now + back[-1])[None], axis=1))
    both = np.stack(ahead) + np.stack(back[::-1])
    return np.asarray(both - logsumexp(both, axis=1, keepdims=True))


def _turn(head: Head, flip: int, confidence: float) -> Head:
    anterior, ventral = SIGNS[flip]
    trust = head.quality / max(head.confidence, 1e-6)
    return replace(
        head,
        anterior_yx=head.anterior_yx * anterior,
        ventral_yx=head.ventral_yx * ventral,
        confidence=confidence,
        quality=float(np.clip(trust * confidence, 0, 1)),
    )


def _angle(vector_yx: Float[np.ndarray, " 2"]) -> float:
    return float(np.arctan2(vector_yx[0], vector_yx[1]))


def _cross(head: Head) -> float:
    """Positive where ventral is a quarter turn from anterior in the sense from x to y."""
    (ay, ax), (vy, vx) = head.anterior_yx, head.ventral_yx
    return float(ax * vy - ay * vx)
