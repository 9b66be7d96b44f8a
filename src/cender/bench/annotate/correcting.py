"""How long a person waits for the names that follow from a correction."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from cender.annotate.edits import Swap
from cender.annotate.marks import Spot
from cender.bench.annotate.company import summarize
from cender.bench.annotate.folders import DRAWN
from cender.config import Config
from cender.pipeline.recording.recognizer.last import keep_last
from cender.pipeline.recording.recognizer.learn import train_weights
from cender.types import Identities
from cender.web.desk import Desk
from cender.web.reidentify import Reidentifier

TAUGHT = 3
"""Volumes, the first ones, that the recognizer has learnt from."""
BRIEF = {"steps_each": 5, "self_rounds": 0, "warped": 5}
"""A training that is short: a recognizer that has learnt more answers no faster."""


def measure_correcting(folder: Path, config: Config, corrections: int, seed: int = 0) -> dict[str, Any]:
    """Milliseconds until the recognizer has named a corrected volume again, and a volume that hears of it.

    In every correction two neurons exchange their identities; waiting for a pause between corrections is not in it.
    """
    rng = np.random.default_rng(seed)
    _teach(folder, config)
    desk = Desk.open(folder)
    recognizer = Reidentifier.open(folder)
    if recognizer is None:
        raise RuntimeError("the recognizer was kept a moment ago")
    own, heard = [], []
    for _ in range(corrections):
        volume = int(rng.integers(TAUGHT, min(DRAWN, desk.tables.volumes.height)))
        _correct(desk, volume, rng)
        own.append(_time(partial(recognizer.look_again, desk, volume)))
        other = (volume + 1) % min(DRAWN, desk.tables.volumes.height)
        heard.append(_time(partial(recognizer.hear, desk, other, volume)))
    desk.log.close()
    return {"corrections": corrections, "own_ms": summarize(own), "hearing_ms": summarize(heard)}


def _teach(folder: Path, config: Config) -> None:
    """Give the folder a recognizer, as a run does."""
    desk = Desk.open(folder)
    params = config.train_recognizer.model_copy(update=BRIEF)
    found = {volume: desk.tables.found(volume) for volume in range(TAUGHT)}
    lessons = [replace(one.annotate(volume, desk.voxel_um), identity=one.identity) for volume, one in found.items()]
    weights = train_weights(lessons, [], config.model_copy(update={"train_recognizer": params}))
    known = {volume: Identities(one.identity, one.probability) for volume, one in found.items()}
    keep_last(folder, weights, known, known)
    desk.log.close()


def _correct(desk: Desk, volume: int, rng: np.random.Generator) -> None:
    named = [one for one in desk.describe_volume(volume)["neurons"] if one["identity"] >= 0 and one["anchor_um"]]
    first, second = (named[row] for row in rng.choice(len(named), 2, replace=False).tolist())
    spots = [Spot(volume=volume, key=one["key"], place_um=one["anchor_um"]) for one in (first, second)]
    edit = Swap(first=first["identity"], second=second["identity"], first_spots=(spots[0],), second_spots=(spots[1],))
    desk.log.append("person", edit)


def _time(act: Callable[[], object]) -> float:
    start = perf_counter()
    act()
    return 1e3 * (perf_counter() - start)
