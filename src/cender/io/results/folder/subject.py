"""What the user says of the animal: laid into ``[subject]`` of ``run.toml`` when the user hands over a file."""

import tomllib
from pathlib import Path

import tomlkit

from cender.errors import DataError
from cender.io.atomic import write_text
from cender.io.results.folder.lock import hold_lock
from cender.io.results.folder.run_folder import HUMAN_SECTION, ROOT_NAME, open_folder


def keep_subject(folder: Path, path: Path) -> None:
    """Lay ``[subject]`` of a TOML file over that of a run folder; keys that the file does not name stay."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as TOML: {error}") from None
    section = given.get(HUMAN_SECTION)
    if not isinstance(section, dict) or set(given) != {HUMAN_SECTION}:
        raise DataError(f"{path}: expected one section [{HUMAN_SECTION}], found {', '.join(given) or 'nothing'}")
    run = open_folder(folder)
    with hold_lock(run.path):
        document = tomlkit.parse((run.path / ROOT_NAME).read_text(encoding="utf-8"))
        kept = document.get(HUMAN_SECTION)
        if kept is None:
            kept = document[HUMAN_SECTION] = tomlkit.table()
        for key, value in section.items():
            kept[key] = value
        write_text(run.path / ROOT_NAME, tomlkit.dumps(document))
