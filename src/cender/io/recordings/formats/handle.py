"""Open files that may be used from several threads and handed to other processes."""

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Generic, TypeVar

Opened = TypeVar("Opened")


class Handle(Generic[Opened]):
    """A file that is opened when first used, once a process, and closed with its last owner.

    One thread uses it at a time. A pickled or forked copy opens the file anew: two processes must not share a
    position in it.
    """

    def __init__(self, opener: Callable[..., Any], *words: Any) -> None:
        self._opener, self._words = opener, words
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self._opened: Opened | None = None
        weakref.finalize(self, self._stack.close)

    @contextmanager
    def use(self) -> Iterator[Opened]:
        """The open file, for this thread alone while the block runs."""
        if self._process != os.getpid():
            self._begin()
        with self._lock:
            if self._opened is None:
                self._opened = self._stack.enter_context(self._opener(*self._words))
            yield self._opened

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._opener, *self._words)
