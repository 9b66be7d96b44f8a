"""Reading with patience: a damaged volume is skipped, a drive that is gone is waited for."""

import errno
import logging
from dataclasses import dataclass, field
from threading import Event
from typing import Literal

from cender.errors import UnreadableRecording
from cender.pipeline.plan.source import Source
from cender.types import Recording, Volume

_LOG = logging.getLogger(__name__)
_AGAIN_S = 0.1
"""Pause before a volume that cannot be read is tried a second time."""
_LOOK_S = 1.0
"""Pause between further tries, while a file or drive is away."""
# What readers of foreign files raise when the bytes make no sense.
_BAD_BYTES = (UnreadableRecording, OSError, ValueError, EOFError, RuntimeError, ArithmeticError, LookupError)
# What the system says of a drive that is there by its name only.
_AWAY = (
    "EIO",
    "ESTALE",
    "ENOTCONN",
    "ETIMEDOUT",
    "EHOSTDOWN",
    "EHOSTUNREACH",
    "ENETDOWN",
    "ENETUNREACH",
    "ENODEV",
    "ENXIO",
)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a volume could not be read: its bytes are ``damaged``, or its drive was ``away`` and may come back."""

    kind: Literal["damaged", "away"]
    error: str

    @property
    def reason(self) -> str:
        """The same in words."""
        said = {"damaged": "the volume cannot be read", "away": "the drive does not answer"}[self.kind]
        return f"{said}: {self.error}"


@dataclass(slots=True)
class PatientReader:
    """Reads the channels that a run needs.

    ``opened`` is the recording where it is open already; it is opened anew only after an error. ``stopping`` ends the
    waiting at once, when the run is being stopped.
    """

    source: Source
    wait_s: float
    opened: Recording | None = None
    stopping: Event = field(default_factory=Event)
    _patience_s: float = field(init=False)

    def __post_init__(self) -> None:
        # It is used up by a drive that does not come back, and is there again after the next volume that can be read.
        self._patience_s = self.wait_s

    @property
    def recording(self) -> Recording:
        """The open recording."""
        if self.opened is None:
            self.opened = self.source.open()
        return self.opened

    def read(self, index: int) -> Volume | Unreadable:
        """The volume, or why it cannot be read though its file is there.

        Raises
        ------
        UnreadableRecording
            The recording cannot be reached, and did not come back in time.
        """
        again = False
        while True:
            try:
                volume = self._read(index)
            except _BAD_BYTES as error:
                away = _is_away(error) and self._patience_s > 0 and not self.stopping.is_set()
                if again and not away:
                    self._await_source(index, 0.0)
                    return Unreadable("away" if _is_away(error) else "damaged", str(error))
                _LOG.info("volume %d: %s; trying again", index, error)
                self._await_source(index)
                pause_s = _LOOK_S if again else _AGAIN_S
                self.stopping.wait(pause_s)
                self._patience_s -= pause_s
            else:
                self._patience_s = self.wait_s
                return volume
            again = True
            # A file that was away is another file to the system, so it is opened anew.
            if self.source.held is None:
                self.opened = None

    def _read(self, index: int) -> Volume:
        recording = self.recording
        channels = tuple(c for c, role in enumerate(recording.roles or ()) if role in ("red", "green"))
        return recording.volume(index, channels)

    def _await_source(self, index: int, wait_s: float | None = None) -> None:
        left_s = self.wait_s if wait_s is None else wait_s
        if not self.source.is_reachable() and left_s > 0:
            _LOG.warning("%s cannot be reached; waiting up to %g s", ", ".join(self.source.paths), left_s)
        while not self.source.is_reachable():
            if left_s <= 0 or self.stopping.wait(min(_LOOK_S, left_s)):
                raise UnreadableRecording(
                    f"{', '.join(self.source.paths)} cannot be reached any more (volume {index}): the drive or the "
                    "file is gone. All finished volumes are kept; bring it back and run the same command again"
                )
            left_s -= _LOOK_S


def _is_away(error: Exception) -> bool:
    return isinstance(error, OSError) and errno.errorcode.get(error.errno or 0) in _AWAY
