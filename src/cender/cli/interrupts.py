"""Ctrl-C and SIGTERM: the first one ends a command so that what is finished is kept, impatience does not undo that."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

STOPPED = 130
"""Exit status of a command that was stopped, as shells have it."""
_AT_ONCE = 3
"""Ctrl-C this many times ends the program without waiting for anything."""


@dataclass(slots=True)
class Interrupts:
    """Counts requests to stop.

    The first raises KeyboardInterrupt, or, inside of `waiting`, only asks for it; the second is answered and waits for
    the first; the third ends the process at once.
    """

    asked: int = 0
    patient: bool = False

    def install(self) -> None:
        """Listen; a process that was told to ignore Ctrl-C (``nohup``, a job in the background) goes on doing so."""
        self.asked = 0
        if threading.current_thread() is not threading.main_thread():
            return
        signal.signal(signal.SIGTERM, self.ask)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self.ask)

    def ask(self, *_: Any) -> None:
        """Take one request."""
        self.asked += 1
        if self.asked >= _AT_ONCE:
            os._exit(STOPPED)
        if self.asked > 1:
            _say("stopping already; once more ends it at once")
        elif self.patient:
            _say("stopping after this step")
        else:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raise what was asked for, unless that is under way.

        Python loses an exception that a signal raises inside of certain callbacks, such as those of weak references.
        """
        if self.asked and not isinstance(sys.exc_info()[1], KeyboardInterrupt):
            raise KeyboardInterrupt

    @contextmanager
    def waiting(self) -> Iterator[Callable[[], None]]:
        """Inside, a request waits until the function that is given is called, between two steps."""
        self.patient = True
        try:
            yield self.check
        finally:
            self.patient = False


def _say(words: str) -> None:
    # A signal may arrive in the middle of a print, which cannot be begun a second time.
    os.write(2, f"\n{words}\n".encode())


INTERRUPTS = Interrupts()
"""Those of this process."""
