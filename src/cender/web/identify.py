"""Seconds after a correction: names that follow from it, in its volume first, then in those that lie near or alike."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

from cender.errors import CenderError
from cender.web.carry import carry_identities
from cender.web.desk import MOST_SURE, Desk, Proposals

if TYPE_CHECKING:
    from cender.web.reidentify import Reidentifier

_LOG = logging.getLogger(__name__)
SOURCES = 5
"""Other volumes that a volume hears identities from."""
NEIGHBOURS, ALIKE = 5, 10
"""Volumes before and after a corrected one, and volumes that lie like it, that hear of the correction."""
MOST_VOLUMES = 40
"""Volumes of one edit that are recognized again."""
PAUSE_S, LONGEST_S = 0.25, 1.0
"""It waits for a pause in the corrections, since each changes what there is to say, but not for longer than this."""


def propose_names(desk: Desk, volume: int) -> Proposals:
    """Identity and probability for neurons without one, by key, as most of the volumes that lie alike have it.

    This is what can be said by places alone, where the run kept no recognizer. What a person named stays, and an
    identity that the volume has already is not given a second time. The probability is the share of the volumes that
    agree, at most `MOST_SURE`.
    """
    here = desk.describe_volume(volume, with_proposals=False)["neurons"]
    unidentified = {one["key"] for one in here if one["identity"] < 0 and not one["human"]}
    taken = {one["identity"] for one in here}
    sources = desk.find_alike(volume, SOURCES)
    votes: Counter[tuple[str, int]] = Counter()
    for source in sources if unidentified else ():
        carried = carry_identities(desk.describe_volume(source, with_proposals=False)["neurons"], here).names
        votes.update((key, number) for key, number in carried.items() if key in unidentified and number not in taken)
    found: dict[str, tuple[int, float]] = {}
    for (key, number), count in sorted(votes.items(), key=lambda one: (-one[1], one[0])):
        if 2 * count > len(sources) and key not in found and number not in {given for given, _ in found.values()}:
            found[key] = (number, round(min(count / len(sources), MOST_SURE), 4))
    return found


@dataclass(slots=True)
class Identifier:
    """Looks again at volumes after corrections, in the background: the corrected one first, then those that hear of it.

    ``on_done`` gets the volumes whose names changed, and how many are still to be looked at.
    """

    desk: Desk
    on_done: Callable[[Sequence[int], int], None]
    _corrected: dict[int, None] = field(default_factory=dict)
    _hearing: dict[tuple[int, int], None] = field(default_factory=dict)
    _asked_s: tuple[float, float] = (0.0, 0.0)
    _busy: bool = False
    _lock: Lock = field(default_factory=Lock)
    _loading: Lock = field(default_factory=Lock)
    _looking: Lock = field(default_factory=Lock)
    _recognizer: "Reidentifier | None" = None
    _generation: int = -1

    def look_again(self, volumes: Iterable[int]) -> None:
        """Ask for new proposals after a correction of these volumes; returns at once."""
        now = monotonic()
        with self._lock:
            self._asked_s = (self._asked_s[0] if self._corrected else now, now)
            self._corrected |= dict.fromkeys(list(volumes)[:MOST_VOLUMES])
            if self._busy or not self._corrected:
                return
            self._busy = True
        Thread(target=self._work, name="identify", daemon=True).start()

    def prepare(self) -> None:
        """Load the recognizer of the last run, so that the first correction does not wait for it."""
        with self._loading:
            generation = self.desk.generation
            if self._generation == generation:
                return
            from cender.web.reidentify import Reidentifier

            try:
                self._recognizer = Reidentifier.open(self.desk.run.path)
            except CenderError as error:
                _LOG.warning("names after a correction come from places alone: %s", error)
                self._recognizer = None
            self._generation = generation

    def question_all(self) -> None:
        """Load the recognizer, and see what it doubts of what people said in volumes that are not reviewed."""
        self.prepare()
        changed = False
        for volume in self.desk.questions.find_volumes()[-MOST_VOLUMES:]:
            with self._looking:
                changed |= self._question(volume)
        if changed:
            self.on_done([], 0)

    def _question(self, volume: int) -> bool:
        """See whether the machine doubts what people said in a volume; whether that is other than before."""
        if self._recognizer is None or not self.desk.has_volume(volume):
            return False
        return self.desk.questions.keep(volume, self._recognizer.question(self.desk, volume))

    def _work(self) -> None:
        while True:
            while self._corrected and (wait_s := self._find_wait()) > 0:
                sleep(wait_s)
            with self._lock:
                if not self._corrected and not self._hearing:
                    self._busy = False
                    return
                # What was corrected goes before all that only hears of it.
                volume, source = self._take()
            try:
                self.prepare()
                with self._looking:
                    changed = self.desk.has_volume(volume) and self._look(volume, source)
            except CenderError:
                # The folder is being changed; the next edit or the next run asks again.
                changed = False
            left = len(self._corrected) + len(self._hearing)
            if changed or left == 0:
                self.on_done([volume] if changed else [], left)

    def _find_wait(self) -> float:
        first_s, last_s = self._asked_s
        return min(last_s + PAUSE_S, first_s + LONGEST_S) - monotonic()

    def _take(self) -> tuple[int, int]:
        if self._corrected:
            volume = next(iter(self._corrected))
            del self._corrected[volume]
            return volume, volume
        pair = next(iter(self._hearing))
        del self._hearing[pair]
        return pair

    def _look(self, volume: int, source: int) -> bool:
        """Find names for a volume and keep them; whether they are others than before."""
        if volume == source and self._recognizer is not None:
            heard = {(other, volume): None for other in self._find_hearers(volume)}
            with self._lock:
                self._hearing = {pair: None for pair in self._hearing if pair not in heard} | heard
        asked = volume == source and self._question(volume)
        return self.desk.propose(volume, source, self._propose(volume, source)) or asked

    def _find_hearers(self, volume: int) -> list[int]:
        near = [volume + by for step in range(1, NEIGHBOURS + 1) for by in (step, -step)]
        heard = [other for other in near if self.desk.has_volume(other)]
        return list(dict.fromkeys([*heard, *self.desk.find_alike(volume, ALIKE)]))

    def _propose(self, volume: int, source: int) -> Proposals:
        if self._recognizer is None:
            return propose_names(self.desk, volume) if volume == source else {}
        if volume == source:
            return self._recognizer.look_again(self.desk, volume)
        return self._recognizer.hear(self.desk, volume, source)
