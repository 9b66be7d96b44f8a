"""Everything cender raises on purpose.

::

    CenderError
    ├── ConfigError             a setting is unknown, malformed or contradicts another
    ├── DataError               a file, folder or table is not what it should be
    │   ├── UnreadableRecording     the recording cannot be opened or a volume of it cannot be read
    │   ├── IncompleteRecording     the file does not say something that this command must know
    │   ├── UnusableVolume          a volume in which nothing can be found; a run counts it and goes on
    │   ├── ShapeMismatch           arrays or tables that belong together do not fit
    │   └── UnsupportedFormat       a folder or model of a newer version, or of a kind we do not know
    ├── ModelError              weights that cannot be used here
    └── EditError               an edit that contradicts the annotation it applies to

A message says what was expected, what was found, where, and what to do.
"""

from typing import Any, Literal

Failure = Literal[
    "unreadable", "incomplete", "no image", "too small", "blank", "saturated", "no head", "no neurons", "defect"
]
"""Why a volume has no results, as a fixed word: messages are for people and may change."""


class CenderError(Exception):
    """A mistake in what cender was given; the command line shows its message and exits with status 2."""


class ConfigError(CenderError):
    """A setting is unknown, malformed or contradicts another."""


class DataError(CenderError):
    """A file, folder or table is not what it should be."""


class UnreadableRecording(DataError):
    """The recording cannot be opened, or a volume of it cannot be read."""


class IncompleteRecording(DataError):
    """The file does not say something that this command must know."""


class UnusableVolume(DataError):
    """A volume in which nothing can be found; a run records the reason as an `Outcome` and goes on."""

    def __init__(self, message: str, kind: Failure) -> None:
        super().__init__(message)
        self.kind: Failure = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.kind)


class ShapeMismatch(DataError):
    """Arrays or tables that belong together do not fit."""


class UnsupportedFormat(DataError):
    """A folder or model of a newer version, or of a kind we do not know."""


class ModelError(CenderError):
    """Weights that cannot be used here."""


class EditError(CenderError):
    """An edit that contradicts the annotation it applies to."""
