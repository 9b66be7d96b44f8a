"""Run folders: everything that is known of one worm, in one folder."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import tomlkit

import cender
from cender.errors import DataError
from cender.io.atomic import remove_parts, write_text
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.format import FORMAT, load_root, refuse_newer
from cender.io.results.folder.lock import hold_lock
from cender.io.results.folder.migrate import find_migrated, migrate_folder
from cender.io.results.folder.names import check_names
from cender.io.results.tables.checked import load_table, save_table
from cender.io.results.tables.schemas import IDENTITIES, RUN_TABLES

_LOG = logging.getLogger(__name__)
ROOT_NAME = "run.toml"
# What only people write: no function here touches these files or this section.
HUMAN_SECTION = "subject"
_NO_SETTINGS = ("format", "cender", HUMAN_SECTION)
"""Sections and keys of `run.toml` that are not settings."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A handle on a run folder of the current format; it holds no data.

    ``held`` says that this handle comes from `writing`; any other takes the lock for each single write.
    """

    path: Path
    held: bool = False

    @contextmanager
    def writing(self) -> Iterator["RunFolder"]:
        """A handle that is the only writer while the block runs; what killed writers left is removed."""
        with hold_lock(self.path):
            remove_parts(self.path)
            yield replace(self, held=True)

    def load_settings(self) -> dict[str, Any]:
        """All of ``run.toml``: format, version, recording, parameters, model hashes, subject."""
        return load_root(self.path / ROOT_NAME, "run")

    def save_settings(self, settings: Mapping[str, Any]) -> None:
        """Lay new settings over ``run.toml``; comments stay, and ``[subject]`` stays as it is.

        A section that is given replaces the keys of the old one, None removes a key; sections that are not
        given stay. The version of cender is set to this one.
        """
        _refuse_reserved(settings)
        with self._lock():
            document = tomlkit.parse((self.path / ROOT_NAME).read_text(encoding="utf-8"))
            document["cender"] = cender.__version__
            _lay_over(document, settings)
            write_text(self.path / ROOT_NAME, tomlkit.dumps(document))

    def load_doubts(self) -> tuple[str, ...]:
        """What the last pass found unsure, as ``[doubts]`` of ``run.toml`` keeps it for every later look."""
        section = self.load_settings().get("doubts", {})
        said = section.get("said", ()) if isinstance(section, Mapping) else ()
        return tuple(str(one) for one in said)

    def load_trust(self) -> str:
        """How far identities can be trusted, in one sentence (``[trust]`` of ``run.toml``); empty where unknown."""
        section = self.load_settings().get("trust", {})
        return str(section.get("said", "")) if isinstance(section, Mapping) else ""

    def has_table(self, name: str) -> bool:
        """Whether a table has been written."""
        return self._table_path(name).is_file()

    def load_table(self, name: str) -> pl.DataFrame:
        """Read and check one of the tables (volumes, regions, neurons, traces, timings)."""
        path = self._table_path(name)
        if not path.is_file():
            raise DataError(f"{self.path} has no {path.name} yet; `cender run {self.path}` writes it")
        return load_table(path, RUN_TABLES[name])

    def save_table(self, name: str, frame: pl.DataFrame) -> None:
        """Check a table and put it in place atomically."""
        with self._lock():
            save_table(frame, self._table_path(name), RUN_TABLES[name])

    def load_names(self) -> dict[int, str]:
        """Names that people gave to identities: in ``identities.csv``, and above that in the log of their edits.

        Raises
        ------
        DataError
            Two identities have one name, or a name would be taken for another column of the traces.
        """
        names = self.read_names()
        check_names(names, self.path / "identities.csv")
        return names

    def read_names(self) -> dict[int, str]:
        """The same as it stands, also where two identities have one name: to show it, so that it can be corrected."""
        table = self.load_identities()
        rows = [] if table is None else table.select("identity", "name").drop_nulls().rows()
        with EditLog(self.path) as log:
            rows += [(one.identity, one.name) for one in log.identities().values()]
        return {identity: name.strip() for identity, name in rows if name.strip()}

    def load_identities(self) -> pl.DataFrame | None:
        """The user's ``identities.csv``, None where there is no such file."""
        path = self.path / "identities.csv"
        return load_table(path, IDENTITIES) if path.is_file() else None

    def _table_path(self, name: str) -> Path:
        if name not in RUN_TABLES:
            raise KeyError(f"{name!r} is not a table of a run folder; there are {', '.join(RUN_TABLES)}")
        return self.path / f"{name}.parquet"

    def _lock(self) -> AbstractContextManager[None]:
        return nullcontext() if self.held else hold_lock(self.path)


def create_run(path: Path, settings: Mapping[str, Any]) -> RunFolder:
    """Make a run folder with its ``run.toml``.

    Parameters
    ----------
    path
        A folder that does not exist or is empty.
    settings
        Sections of ``run.toml``, e.g. ``{"recording": {"source": ...}, "models": {"detector": hash}}``.
        Values of None are left out. ``[subject]`` is the user's to fill.
    """
    _refuse_reserved(settings)
    if (path / ROOT_NAME).exists():
        raise DataError(f"{path} is a run folder already; open it, or choose another name")
    if path.is_file() or (path.is_dir() and any(not e.name.startswith(".") for e in path.iterdir())):
        what = "a file" if path.is_file() else "a folder with other things in it"
        raise DataError(f"{path} is {what}; a new run folder needs a name of its own")
    path.mkdir(parents=True, exist_ok=True)
    document = tomlkit.document()
    document.add("format", tomlkit.item(FORMAT))
    document.add("cender", tomlkit.item(cender.__version__))
    _lay_over(document, settings)
    subject = tomlkit.table()
    subject.add(tomlkit.comment("yours: species, strain, age, sex, notes ... kept as you write it"))
    document.add(HUMAN_SECTION, subject)
    with hold_lock(path):
        write_text(path / ROOT_NAME, tomlkit.dumps(document))
    return RunFolder(path)


def open_folder(path: Path) -> RunFolder:
    """Open a run folder; one of an older format is migrated into a copy beside it, which is opened instead.

    Raises
    ------
    UnsupportedFormat
        The folder is of a newer format, or of an older one that cannot be migrated.
    DataError
        It is not a run folder; the message says what was found.
    """
    found = load_root(path / ROOT_NAME, "run")["format"]
    refuse_newer(found, path / ROOT_NAME, "run")
    if found == FORMAT:
        return RunFolder(path)
    copy = find_migrated(path)
    if copy is None:
        return migrate_run(path)
    _LOG.warning("%s is of format %d; using its migrated copy %s", path, found, copy)
    return RunFolder(copy)


def migrate_run(path: Path) -> RunFolder:
    """Copy a run folder of an older format beside itself, bring the copy up to date, and open it."""
    return RunFolder(migrate_folder(path))


def _refuse_reserved(settings: Mapping[str, Any]) -> None:
    for name in _NO_SETTINGS:
        if name in settings:
            raise ValueError(f"{name!r} of run.toml is not a setting")


def _lay_over(into: Any, values: Mapping[str, Any]) -> None:
    """Set values in a TOML table in place, so that comments around them stay."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            if not isinstance(into.get(key), Mapping):
                into[key] = tomlkit.table()
            for old in [name for name in into[key] if name not in value]:
                del into[key][old]
            _lay_over(into[key], value)
        elif value is None:
            into.pop(key, None)
        else:
            plain = list(value) if isinstance(value, tuple) else value
            if key not in into or into[key] != plain:
                into[key] = plain
