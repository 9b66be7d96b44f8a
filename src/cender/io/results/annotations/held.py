"""What the log leads to, held in memory by volume: after an edit only the volumes that it touched are loaded again."""

import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cender.annotate.apply import list_volumes
from cender.annotate.edits import parse_logged
from cender.annotate.marks import NO_IDENTITY
from cender.annotate.state import VolumeDigest, VolumeState, arrange_volumes
from cender.io.results.annotations.rows import find_revision, load_values, select_rows

Kept = TypeVar("Kept")
Load = Callable[[sqlite3.Connection, Collection[int] | None], dict[int, Kept]]
"""Loads what is kept of some volumes, or of all of which people say anything (None)."""


@dataclass(slots=True)
class Held(Generic[Kept]):
    """What ``load`` finds, by volume, as of a revision; other programs may have written since."""

    load: Load[Kept]
    _revision: int | None = None
    _found: dict[int, Kept] = field(default_factory=dict)

    def look(self, base: sqlite3.Connection) -> dict[int, Kept]:
        """All of it as of now, volumes ascending."""
        # The revision is read first: what is written meanwhile counts as new the next time.
        now = find_revision(base)
        if self._revision is None or now < self._revision:
            self._found = self.load(base, None)
        elif now > self._revision:
            touched = _find_touched(base, self._revision)
            kept = {volume: one for volume, one in self._found.items() if volume not in touched}
            self._found = dict(sorted((kept | self.load(base, touched)).items()))
        self._revision = now
        return dict(self._found)


def load_states(base: sqlite3.Connection, volumes: Collection[int] | None) -> dict[int, VolumeState]:
    """What people say of volumes."""
    return arrange_volumes({**load_values(base, "neuron", volumes), **load_values(base, "volume", volumes)})


def load_digests(base: sqlite3.Connection, volumes: Collection[int] | None) -> dict[int, VolumeDigest]:
    """The same in short. SQLite picks identities out of marks, which takes a tenth of the time of reading them."""
    words = "SELECT number, json_extract(value, '$.identity') FROM slots WHERE value IS NOT NULL AND space = ?"
    given: dict[int, set[int]] = {}
    for volume, identity in select_rows(base, words, "neuron", volumes):
        given.setdefault(volume, set()).add(NO_IDENTITY if identity is None else identity)
    facts = arrange_volumes(load_values(base, "volume", volumes), given)
    return {
        volume: VolumeDigest(
            one.reviewed or one.complete, one.unusable is not None, volume in given, frozenset(given.get(volume, ()))
        )
        for volume, one in facts.items()
    }


def _find_touched(base: sqlite3.Connection, revision: int) -> set[int]:
    """Volumes of the edits after a revision."""
    rows = base.execute("SELECT edit FROM edits WHERE revision > ?", (revision,))
    return {volume for (text,) in rows for volume in list_volumes(parse_logged(text))}
