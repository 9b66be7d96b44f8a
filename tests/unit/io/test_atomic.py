"""A file is the old one or the new one, whatever happens in between."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cender.errors import DataError
from cender.io.atomic import is_part, remove_parts, write_atomically, write_bytes, write_text


def test_new_file_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    with write_atomically(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
        assert part.parent == path.parent
        assert part.suffix == ".part"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def write_and_stop(path: Path) -> None:
    with write_atomically(path) as part:
        part.write_text("half")
        raise KeyboardInterrupt


def test_exception_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_and_stop(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_killed_process_leaves_the_old_file_and_a_part_that_can_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    script = (
        "import os, sys, pathlib\n"
        "from cender.io.atomic import write_atomically\n"
        "with write_atomically(pathlib.Path(sys.argv[1])) as part:\n"
        "    part.write_text('half')\n"
        "    os._exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == 7
    left = [file for file in tmp_path.iterdir() if file != path]
    assert path.read_text() == "old"
    assert [is_part(file) for file in left] == [True]
    remove_parts(tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_text_is_utf8_with_its_own_line_ends(tmp_path: Path) -> None:
    write_text(tmp_path / "a.toml", "µ = 1\n")
    write_bytes(tmp_path / "b.bin", b"\x00\xff")
    assert (tmp_path / "a.toml").read_bytes() == "µ = 1\n".encode()
    assert (tmp_path / "b.bin").read_bytes() == b"\x00\xff"


def test_full_disk_is_said_in_words(tmp_path: Path) -> None:
    with (
        pytest.raises(DataError, match=r"cannot write .*table\.csv.*room"),
        write_atomically(tmp_path / "table.csv"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_errors_of_other_files_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), write_atomically(tmp_path / "table.csv"):
        (tmp_path / "other").read_text()
