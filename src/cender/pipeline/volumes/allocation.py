"""Memory that a long run keeps for its next volume."""

import ctypes
import platform

# Of malloc.h: one pool for all threads, no pages of its own for a large array, and when to give memory back.
_ARENA_MAX, _MMAP_MAX, _TRIM_THRESHOLD = -8, -4, -1
_KEPT_BYTES = 512 << 20


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
