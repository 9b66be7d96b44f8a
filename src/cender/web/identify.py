"""Seconds after a correction: names for the neurons that it left without one, from volumes that lie alike."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock, Thread

from cender.errors import CenderError
from cender.web.carry import carry_identities
from cender.web.desk import Desk

SOURCES = 5
MOST_SURE = 0.79
"""A proposal stays in doubt, however many volumes agree on it, until a person accepts it or the machine has learnt."""
MOST_VOLUMES = 40


def propose_names(desk: Desk, volume: int) -> dict[str, tuple[int, float]]:
    """Identity and probability for neurons without one, by key, as most of the volumes that lie alike have it.

    What a person named stays, and an identity that the volume has already is not given a second time. The probability
    is the share of the volumes that agree, at most `MOST_SURE`.
    """
    here = desk.describe_volume(volume, with_proposals=False)["neurons"]
    nameless = {one["key"] for one in here if one["identity"] < 0 and not one["human"]}
    taken = {one["identity"] for one in here}
    sources = desk.find_alike(volume, SOURCES)
    votes: Counter[tuple[str, int]] = Counter()
    for source in sources if nameless else ():
        carried = carry_identities(desk.describe_volume(source, with_proposals=False)["neurons"], here).names
        votes.update((key, number) for key, number in carried.items() if key in nameless and number not in taken)
    found: dict[str, tuple[int, float]] = {}
    for (key, number), count in sorted(votes.items(), key=lambda one: (-one[1], one[0])):
        if 2 * count > len(sources) and key not in found and number not in {given for given, _ in found.values()}:
            found[key] = (number, round(min(count / len(sources), MOST_SURE), 4))
    return found


@dataclass(slots=True)
class Identifier:
    """Looks again at volumes that people changed, in the background, each once however often it changed meanwhile."""

    desk: Desk
    on_done: Callable[[int], None]
    _waiting: dict[int, None] = field(default_factory=dict)
    _busy: bool = False
    _lock: Lock = field(default_factory=Lock)

    def look_again(self, volumes: Iterable[int]) -> None:
        """Ask for new proposals; returns at once."""
        with self._lock:
            self._waiting |= dict.fromkeys(list(volumes)[:MOST_VOLUMES])
            if self._busy or not self._waiting:
                return
            self._busy = True
        Thread(target=self._work, name="identify", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._busy = False
                    return
                volume = next(iter(self._waiting))
                del self._waiting[volume]
            try:
                proposals = propose_names(self.desk, volume) if self.desk.has_volume(volume) else {}
            except CenderError:
                # The folder is being changed; the next edit or the next run asks again.
                continue
            if self.desk.propose(volume, proposals):
                self.on_done(volume)
