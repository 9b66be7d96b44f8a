"""Heads that are only partly annotated, or with centres only, completed with what a trained network sees in them.

A mark of a person is always right; of what was not marked, nothing is learnt.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Float32, Int

from cender.annotate.places import align_places, match_places
from cender.detect.decode import USUAL_PX, decode_centres, decode_regions
from cender.training.detector.samples import Sample
from cender.types import Maps

Score = Callable[[Float32[np.ndarray, "z y x"]], Maps]
# Scores from which on the network sees something that a mark may be given, and from which on there may be something.
SEEN, HINT = 0.3, 0.12
NEAR_UM = 1.6
"""What the network sees within this distance of a mark belongs to it."""
# Frames above and below its own that a marked neuron may reach.
REACH = 3


def complete_sample(sample: Sample, score: Score, complete: bool) -> Sample:
    """The sample with boxes for neurons that have none and, where it is not ``complete``, marked as partial.

    What the network sees in a partial sample away from all marks is ``unsure``.
    """
    maps = score(sample.image)
    frame, box, chance = decode_regions(maps, HINT)
    boxed = np.unique(sample.neuron)
    lacking = np.setdiff1d(np.arange(len(sample.centre)), boxed)
    _, centres, _ = decode_centres(maps, HINT)
    settled = replace(sample, centre=_settle(sample, lacking, centres))
    grown = _grow_boxes(settled, lacking, frame[chance > SEEN], box[chance > SEEN])
    if complete:
        return grown
    seen = np.column_stack([frame, box[:, [1, 0]] + (box[:, [3, 2]] - 1) / 2])
    return replace(grown, unsure=_unmarked(np.concatenate([seen, centres]), grown), partial=True)


def _settle(sample: Sample, lacking: Int[np.ndarray, " k"], seen: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "m 3"]:
    """Centres, those without boxes where the network sees the same neuron: a click is less exact than that.

    Learning where people click would blur what the network knows of where nuclei are. Where all clicks of a head lie
    beside what it sees (`align_places`), so do those on neurons that it does not see.
    """
    theirs, found = sample.centre[lacking] * sample.step_um, seen * sample.step_um
    alignment = align_places(theirs, found)
    row = match_places(theirs, found, alignment)
    centre = sample.centre.copy()
    centre[lacking] = np.where((row >= 0)[:, None], found[row] if len(found) else theirs, theirs - alignment.shift_um)
    centre[lacking] /= sample.step_um
    return centre


def _unmarked(seen: Float[np.ndarray, "n 3"], sample: Sample) -> Float[np.ndarray, "k 3"]:
    """What the network sees away from every mark."""
    marked = np.concatenate([sample.centre, _box_centres(sample), sample.denied])
    if not len(marked):
        return seen
    distance = np.linalg.norm((seen[:, None] - marked[None]) * sample.step_um, axis=2)
    return np.asarray(seen[distance.min(1) > NEAR_UM])


def _grow_boxes(
    sample: Sample,
    lacking: Int[np.ndarray, " k"],
    frame: Int[np.ndarray, " n"],
    box: Float[np.ndarray, "n 4"],
) -> Sample:
    """Boxes that the network sees around centres that have none; usual boxes where it sees nothing."""
    middle = box[:, [1, 0]] + (box[:, [3, 2]] - 1) / 2
    frames = [sample.frame]
    boxes = [sample.box]
    neurons = [sample.neuron]
    for neuron in lacking:
        z, y, x = sample.centre[neuron]
        home = int(np.clip(round(z), 0, len(sample.image) - 1))
        near = np.linalg.norm((middle - (y, x)) * sample.step_um[1:], axis=1) < NEAR_UM
        mine = _consecutive(frame[near], home)
        rows = np.flatnonzero(near & np.isin(frame, mine))
        rows = rows[np.unique(frame[rows], return_index=True)[1]]
        if len(rows):
            frames.append(frame[rows])
            boxes.append(box[rows])
        else:
            # The usual nucleus shows in three frames.
            usual = np.arange(max(home - 1, 0), min(home + 2, len(sample.image)))
            corner = (x - (USUAL_PX - 1) / 2, y - (USUAL_PX - 1) / 2)
            frames.append(usual)
            boxes.append(np.tile([*corner, USUAL_PX, USUAL_PX], (len(usual), 1)))
        neurons.append(np.full(len(frames[-1]), neuron))
    return replace(sample, frame=np.concatenate(frames), box=np.concatenate(boxes), neuron=np.concatenate(neurons))


def _consecutive(frames: Int[np.ndarray, " n"], home: int) -> list[int]:
    """Frames reachable from the centre's own without a gap, at most three away."""
    present = set(frames.tolist())
    found = [home] if home in present else []
    for way in (-1, 1):
        for distance in range(1, REACH + 1):
            if home + way * distance not in present:
                break
            found.append(home + way * distance)
    return found


def _box_centres(sample: Sample) -> Float[np.ndarray, "n 3"]:
    middle = sample.box[:, [1, 0]] + (sample.box[:, [3, 2]] - 1) / 2
    return np.column_stack([sample.frame, middle])
