"""The edge of the readers: whatever a format's library raises over a damaged file leaves here as one kind of error."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cender.errors import CenderError, DataError, UnreadableRecording

# Below this size, a volume is read without a second look at what its header promises.
_HARMLESS_BYTES = 2**26
# No compression of images of photons comes near this; a header that promises more is damaged.
_DENSEST = 2000


@contextmanager
def fence(source: str, what: str, error: type[DataError] = UnreadableRecording) -> Iterator[None]:
    """Turn any exception of a library into an ``error``; ``what`` says what could not be done.

    Libraries raise what they like over damaged files, MemoryError and RecursionError included, so everything but
    our own errors is caught; an interrupt is no Exception and passes.
    """
    try:
        yield
    except CenderError:
        raise
    except PermissionError as refused:
        raise error(f"{source} {what}: {refused.strerror or refused}") from refused
    except Exception as problem:  # what libraries raise over damaged files has no common base
        reason = str(problem).strip() or "no further reason"
        raise error(
            f"{source} {what}: the file is damaged, cut off or not what it seems "
            f"({type(problem).__name__}: {reason[:300]})"
        ) from problem


def check_volume_size(source: str, volume_bytes: int) -> None:
    """Refuse a volume that cannot be: larger than the memory of this machine, or than its file can hold packed."""
    if volume_bytes <= _HARMLESS_BYTES:
        return
    memory = _memory_bytes()
    if volume_bytes > memory:
        raise UnreadableRecording(
            f"{source}: one volume would take {volume_bytes / 1e9:,.1f} GB, more than the memory of this machine "
            f"({memory / 1e9:.1f} GB); its sizes are damaged, or recording.axes is wrong"
        )
    size = Path(source).stat().st_size if Path(source).is_file() else None
    if size is not None and volume_bytes > _DENSEST * size:
        raise UnreadableRecording(
            f"{source}: one volume would take {volume_bytes / 1e6:,.0f} MB,"
            f" but the whole file has {size / 1e6:.3g} MB: "
            "its sizes are damaged"
        )


def _memory_bytes() -> int:
    """Memory of this machine; a large one where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**36
