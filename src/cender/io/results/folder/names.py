"""Names that people give to identities: one identity each, and never another column of the traces."""

from collections.abc import Mapping
from pathlib import Path

from cender.errors import DataError

_RESERVED = ("volume", "time_s")


def check_names(names: Mapping[int, str], where: Path) -> None:
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
