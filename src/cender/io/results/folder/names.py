"""Names that people give to identities: one identity each, and never another column of the traces. Guesses beside."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from cender.errors import DataError

GUESSES = "names.csv"
"""Written by `cender name` into the run folder."""
_RESERVED = ("volume", "time_s")
"""Columns of `traces_wide.csv` that are no identity."""


def check_names(names: Mapping[int, str], where: Path | str) -> None:
    """Refuse names that could be mistaken for another identity or another column."""
    taken: dict[str, int] = {}
    for identity, name in names.items():
        if name in taken:
            raise DataError(
                f"{where}: identities {taken[name]} and {identity} are both called {name!r}; a name belongs to one "
                "identity. Correct one of them, or give both neurons the same identity number if they are one"
            )
        if name in _RESERVED or (name.isdecimal() and int(name) != identity):
            raise DataError(
                f"{where}: identity {identity} is called {name!r}, which would be taken for another column of the "
                "traces; choose another name"
            )
        taken[name] = identity


def load_guesses(folder: Path, people: Mapping[int, str]) -> dict[int, tuple[str, float]]:
    """The machine's names and their probabilities by identity, none for an identity that a person named.

    A guess that became the name of another identity is no longer one.
    """
    path = folder / GUESSES
    if not path.is_file():
        return {}
    try:
        table = pl.read_csv(path, infer_schema_length=None).filter(pl.col("source") == "machine")
        rows = table.select("identity", "name", "probability").rows()
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{path} is damaged ({reason}); run `cender name {folder}` again") from None
    taken = set(people.values())
    return {identity: (name, chance) for identity, name, chance in rows if identity not in people and name not in taken}
