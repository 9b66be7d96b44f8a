"""News for everybody who has the page open: edits, cursors, how far learning is."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

MOST_LISTENERS = 64
"""Pages that may listen at the same time."""
_MOST_WAITING = 1000
"""Messages that may wait for one page."""
_BREATH_S = 10.0
"""Time without a message after which an empty one keeps the connection open."""


@dataclass(slots=True)
class Hub:
    """Hands every event to every listener; a listener that does not keep up is told to load everything again."""

    _queues: set["asyncio.Queue[str]"] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None

    def tell(self, kind: str, **facts: Any) -> None:
        """Tell all listeners; may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            text = json.dumps({"kind": kind, **facts})
            self._loop.call_soon_threadsafe(self._put, text)

    @property
    def full(self) -> bool:
        """Whether no further listener can be taken."""
        return len(self._queues) >= MOST_LISTENERS

    async def listen(self) -> AsyncIterator[str]:
        """Events as lines of a server-sent stream, with a breath now and then so that a broken line is noticed."""
        self._loop = asyncio.get_running_loop()
        queue: asyncio.Queue[str] = asyncio.Queue(_MOST_WAITING)
        self._queues.add(queue)
        try:
            yield "retry: 500\n\n"
            while True:
                try:
                    text = await asyncio.wait_for(queue.get(), _BREATH_S)
                    yield f"data: {text}\n\n"
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self._queues.discard(queue)

    def _put(self, text: str) -> None:
        for queue in self._queues:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(json.dumps({"kind": "reload"}))
            else:
                queue.put_nowait(text)
