"""Whether a file is on a network drive, where programs on several computers cannot share memory."""

import sys
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
"""Where Linux lists the file systems in use."""
_NETWORK = ("nfs", "cifs", "smb", "afs", "9p", "ncp", "ceph", "lustre", "beegfs", "gluster", "gpfs", "pvfs", "fuse.")
"""Beginnings of the names of file systems that lie on another computer."""
_REMOTE_DRIVE = 4
"""What Windows calls a network drive (DRIVE_REMOTE)."""


def is_network_drive(path: Path) -> bool:
    """Whether a path is on a network drive; where that cannot be known, drives that may be one count as one."""
    if sys.platform == "win32":
        return _is_remote_drive(path)
    if sys.platform == "darwin":
        return path.resolve().is_relative_to("/Volumes")
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return _find_kind(lines, path.resolve()).startswith(_NETWORK)


def _find_kind(lines: list[str], path: Path) -> str:
    """The kind of the innermost file system that holds a path."""
    best, found = -1, ""
    for line in lines:
        left, _, right = line.partition(" - ")
        words = left.split()
        if len(words) < 5 or not right:
            continue
        point = Path(words[4].replace("\\040", " "))
        depth = len(point.parts)
        # Of two on one point the later one hides the earlier.
        if path.is_relative_to(point) and depth >= best:
            best, found = depth, right.split()[0]
    return found


def _is_remote_drive(path: Path) -> bool:
    import ctypes

    anchor = path.absolute().anchor
    kind = ctypes.windll.kernel32.GetDriveTypeW(anchor)  # type: ignore[attr-defined,unused-ignore]
    return anchor.startswith("\\\\") or kind == _REMOTE_DRIVE
