"""Run folders of older formats, brought up to date in a copy."""

import logging
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import tomlkit

from cender.errors import UnsupportedFormat
from cender.io.atomic import PART_SUFFIX, write_text
from cender.io.results.folder.format import FORMAT, load_root, refuse_newer
from cender.io.results.folder.lock import LOCK_NAME, refuse_locked

_LOG = logging.getLogger(__name__)
# Brings a copied folder of its own format to the next one, in place; the format number is written for it.
Migration = Callable[[Path], None]
# By the format that a migration starts from. Format 1 is the first that was published.
MIGRATIONS: Mapping[int, Migration] = {}


def migrate_folder(path: Path) -> Path:
    """Copy an older run folder to ``NAME-formatN`` beside it and bring the copy up to date; returns the copy.

    The old folder is not touched. Where a step fails no copy is left.
    """
    root = path / "run.toml"
    found = load_root(root, "run")["format"]
    refuse_newer(found, root, "run")
    steps = range(found, FORMAT)
    unknown = [step for step in steps if step not in MIGRATIONS]
    if unknown:
        raise UnsupportedFormat(
            f"{path} is a run folder of format {found}, which this cender cannot bring to format {FORMAT}; "
            "make a new run of the recording, or open it with the cender that wrote it (see run.toml)"
        )
    refuse_locked(path)
    copy = _copy_path(path)
    if copy.exists():
        raise UnsupportedFormat(f"{path} is of format {found}, and {copy} exists: use that, or remove it")
    part = copy.with_name(f".{copy.name}{PART_SUFFIX}")
    shutil.rmtree(part, ignore_errors=True)
    try:
        shutil.copytree(path, part, ignore=shutil.ignore_patterns(f"{LOCK_NAME}*", f".*{PART_SUFFIX}"))
        for step in steps:
            MIGRATIONS[step](part)
            _save_format(part / "run.toml", step + 1, path.resolve().name)
        part.rename(copy)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    _LOG.warning("%s is of format %d; migrated into %s", path, found, copy)
    return copy


def find_migrated(path: Path) -> Path | None:
    """The migrated copy of an older run folder, None where there is none."""
    copy = _copy_path(path)
    if not (copy / "run.toml").is_file():
        return None
    root = load_root(copy / "run.toml", "run")
    return copy if root["format"] == FORMAT and root.get("migrated") == {"origin": path.resolve().name} else None


def _copy_path(path: Path) -> Path:
    whole = path.resolve()
    return whole.with_name(f"{whole.name}-format{FORMAT}")


def _save_format(root: Path, number: int, origin: str) -> None:
    document = tomlkit.parse(root.read_text(encoding="utf-8"))
    document["format"] = number
    document["migrated"] = {"origin": origin}
    write_text(root, tomlkit.dumps(document))
