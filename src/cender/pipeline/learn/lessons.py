"""Volumes to learn identities from: truth folders, and run folders that people have worked on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cender.errors import DataError
from cender.io import load_truth
from cender.io.results.annotations.human import load_human
from cender.io.results.folder.run_folder import open_folder
from cender.io.results.folder.run_results import load_run, split_volumes
from cender.types import Annotation


@dataclass(frozen=True, slots=True)
class Lessons:
    """Volumes with identities, and volumes of the same recordings without any."""

    annotated: tuple[Annotation, ...]
    recording: tuple[Annotation, ...]


def collect_lessons(folders: Sequence[Path]) -> Lessons:
    """The volumes of all folders; an identity is the same neuron in all of them.

    Volumes of the second folder and those after it get numbers that no other has.
    """
    annotated: list[Annotation] = []
    recording: list[Annotation] = []
    free = 0
    for folder in folders:
        volumes = load_lessons(folder)
        named = [one for one in volumes if (one.identity >= 0).any()]
        if not named:
            raise DataError(
                f"{folder}: expected volumes in which neurons have identities that a person gave, found none in "
                f"{len(volumes)} volumes; annotate some, or leave this folder out"
            )
        shift = free if annotated else 0
        for one in volumes:
            moved = replace(one, volume=one.volume + shift)
            if (one.identity >= 0).any():
                annotated.append(moved)
            elif len(one):
                recording.append(moved)
        free = max(one.volume for one in (*annotated, *recording)) + 1
    return Lessons(tuple(annotated), tuple(recording))


def load_lessons(folder: Path) -> list[Annotation]:
    """Volumes of a truth folder, of what ``cender simulate`` made, of a points table or of a run folder.

    Of a run only what a person said counts: identities of rows that are not ``human`` are left out, and such volumes
    are not complete.
    """
    if (folder / "run.toml").is_file():
        return _load_human(folder)
    home = folder / "truth" if (folder / "truth" / "truth.toml").is_file() else folder
    return list(load_truth(home).annotations.values())


def _load_human(folder: Path) -> list[Annotation]:
    run = open_folder(folder)
    if not run.has_table("neurons"):
        # Annotation that was imported before the first run: there is nothing of the machine's beside it.
        return list(load_human(run.path).values())
    rows = split_volumes(run.load_table("neurons").sort("volume", "neuron"))
    volumes = []
    for volume, one in load_run(folder).annotations.items():
        human = (rows[volume]["source"] == "human").to_numpy() if volume in rows else np.zeros(0, bool)
        identity = np.where(human, one.identity, -1)
        volumes.append(replace(one, identity=identity, complete=bool(human.all())))
    return volumes
