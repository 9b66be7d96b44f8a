"""One writer at a time: a file that says which process is writing in a folder."""

import json
import logging
import os
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import NamedTuple

from cender.errors import DataError

LOCK_NAME = ".lock"
_NAMELESS_S = 10.0
"""Age at which a lock that names no process is taken for a leftover."""
_LOG = logging.getLogger(__name__)


class Holder(NamedTuple):
    """The process that holds a lock."""

    pid: int
    host: str
    token: str


@contextmanager
def hold_lock(folder: Path) -> Iterator[None]:
    """Be the only writer in a folder while the block runs.

    A lock that a dead process of this computer left is taken over with a warning; any other raises
    `DataError`. Whether a process of another computer still lives cannot be known, so its lock stays until
    somebody removes it.
    """
    path, mine = folder / LOCK_NAME, Holder(os.getpid(), socket.gethostname(), secrets.token_hex(8))
    if not _take(path, mine):
        _release_dead(path)
        if not _take(path, mine):
            raise DataError(_describe(path, find_holder(folder)))
    try:
        yield
    finally:
        if find_holder(folder) == mine:
            path.unlink(missing_ok=True)


def find_holder(folder: Path) -> Holder | None:
    """Who is writing in a folder, None where there is no writer or where the lock cannot be read."""
    try:
        values = json.loads((folder / LOCK_NAME).read_text(encoding="utf-8"))
        return Holder(int(values["pid"]), str(values["host"]), str(values["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def refuse_locked(folder: Path) -> None:
    """Raise where another writer is at work in a folder."""
    _release_dead(folder / LOCK_NAME)
    if (folder / LOCK_NAME).exists():
        raise DataError(_describe(folder / LOCK_NAME, find_holder(folder)))


def _take(path: Path, mine: Holder) -> bool:
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return False
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(json.dumps(mine._asdict()))
    return True


def _release_dead(path: Path) -> None:
    holder = find_holder(path.parent)
    if holder is None and _is_stale(path):
        # Its maker was killed, or the power failed, before it had written its name.
        path.unlink(missing_ok=True)
    if holder is None or holder.host != socket.gethostname() or _is_alive(holder.pid):
        return
    # Of several processes that find the same dead lock only one can rename it; the others find it gone,
    # or find the lock of the one that was faster, which they put back.
    aside = path.with_name(f"{LOCK_NAME}-{secrets.token_hex(4)}")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    if json.loads(aside.read_text(encoding="utf-8")).get("token") != holder.token:
        aside.replace(path)
        return
    aside.unlink()
    _LOG.warning("%s: process %d ended without releasing the folder; taking over", path.parent, holder.pid)


def _is_stale(path: Path) -> bool:
    """Whether a lock without a name is too old to be one that is just being written."""
    try:
        return not path.stat().st_size and time() - path.stat().st_mtime > _NAMELESS_S
    except OSError:
        return False


def _describe(path: Path, holder: Holder | None) -> str:
    who = "another process" if holder is None else f"process {holder.pid} on {holder.host}"
    return f"{path.parent} is being written by {who}; wait for it, or remove {path} if that is not so"


if sys.platform == "win32":

    def _is_alive(pid: int) -> bool:
        # os.kill would end the process on Windows, so the kernel is asked.
        import ctypes

        query_limited, still_active, access_denied = 0x1000, 259, 5
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = kernel.OpenProcess(query_limited, False, pid)
        if not handle:
            return ctypes.get_last_error() == access_denied
        code = ctypes.c_ulong()
        known = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return not known or code.value == still_active

else:

    def _is_alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True
