"""What a long run settles with the system while it lasts: memory that it keeps, threads that it does not start."""

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

# Of malloc.h: one pool for all threads, no pages of its own for a large array, and when to give memory back.
_ARENA_MAX, _MMAP_MAX, _TRIM_THRESHOLD = -8, -4, -1
_KEPT_BYTES = 512 << 20
"""Freed memory that the allocator keeps for the next volume."""


@contextmanager
def settle_resources() -> Iterator[None]:
    """Keep memory for the next volume (see `reuse_memory`), and compute each matrix product in one thread.

    Volumes are worked on side by side. Further threads inside of small matrix products only wait for each other. What
    the program around it uses afterwards is as it was, except for memory, of which the system cannot be asked.
    """
    reuse_memory()
    with threadpool_limits(1, user_api="blas"):
        yield


def reuse_memory() -> bool:
    """Keep memory that arrays leave for the next ones instead of handing it back; whether the system can be told.

    Every volume needs the same few hundred megabytes. Fetched from the system each time, page by page, they cost more
    time than reading the volume. Only the GNU C library can be told; others are left as they are.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return all(
        mallopt(what, value) for what, value in ((_ARENA_MAX, 1), (_MMAP_MAX, 0), (_TRIM_THRESHOLD, _KEPT_BYTES))
    )
