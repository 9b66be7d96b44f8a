"""Identities that people gave and the machine doubts: questioned in the queue of the page, never changed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from cender.io.results.annotations.log import EditLog


@dataclass(frozen=True, slots=True)
class Question:
    """A neuron that a person gave one identity where the machine is sure of another, with the machine's probability."""

    volume: int
    identity: int
    instead: int
    probability: float

    def __str__(self) -> str:
        return (
            f"a person gave #{self.identity}, the machine sees #{self.instead} (probability {self.probability:.2f}): "
            "correct it, or mark the volume as reviewed"
        )


@dataclass(slots=True)
class Questions:
    """What the machine doubts now, by volume; its methods may be called from any thread."""

    log: EditLog
    _kept: dict[int, tuple[Question, ...]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def keep(self, volume: int, found: Sequence[Question]) -> bool:
        """Keep what is doubted in a volume; whether that is other than before."""
        with self._lock:
            before = self._kept.pop(volume, ())
            if found:
                self._kept[volume] = tuple(found)
        return before != tuple(found)

    def forget(self) -> None:
        """Doubt nothing any more."""
        with self._lock:
            self._kept.clear()

    def open(self) -> list[Question]:
        """All questions, except where a person has reviewed the volume or the identity."""
        volumes = self.find_volumes()
        settled = {number for number, one in self.log.identities().items() if one.reviewed}
        with self._lock:
            kept = [one for volume in volumes for one in self._kept.get(volume, ())]
        return [one for one in kept if one.identity not in settled]

    def find_volumes(self) -> list[int]:
        """Volumes that are not reviewed and in which people said something about neurons."""
        return [volume for volume, one in sorted(self.log.digests().items()) if one.marked and not one.reviewed]
