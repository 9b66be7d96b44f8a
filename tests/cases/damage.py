"""Files that were cut off or altered, and a guard against code that hangs on them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

PATIENCE_S = 60


class Hanging(BaseException):
    """Raised by the alarm; no Exception, so that no fence takes it for a damaged file."""


@contextmanager
def patience() -> Iterator[None]:
    """Stop what takes longer than a minute."""

    def stop(*_: object) -> None:
        raise Hanging

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def damage(content: bytes, random: np.random.Generator) -> bytes:
    """Cut off, flip bytes, zero a block, or put a huge number where a header may have a size."""
    data = bytearray(content)
    kind = random.integers(4)
    if kind == 0:
        return bytes(data[: random.integers(1, len(data))])
    head = min(len(data), int(random.choice([128, 1024, len(data)])))
    if kind == 1:
        for at in random.integers(0, head, random.integers(1, 12)):
            data[at] = random.integers(256)
    elif kind == 2:
        at, length = int(random.integers(head)), int(random.integers(1, 200))
        data[at : at + length] = b"\0" * len(data[at : at + length])
    else:
        at = int(random.integers(head))
        huge = int(random.choice([0xFFFFFFFF, 0x7FFFFFFF, 0x10000000, 0x00FFFFFF])).to_bytes(4, "little")
        data[at : at + 4] = huge[: len(data[at : at + 4])]
    return bytes(data)


def damage_file(path: Path, random: np.random.Generator) -> None:
    """Damage a file, or one of the files of a folder."""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    victim = files[random.integers(len(files))]
    victim.write_bytes(damage(victim.read_bytes() or b"\0", random))
