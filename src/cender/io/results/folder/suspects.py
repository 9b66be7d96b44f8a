"""Names of people that the namer doubts, kept in the run folder for the page's queue."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cender.errors import DataError
from cender.io.atomic import write_text

FILE = "suspects.json"


@dataclass(frozen=True, slots=True)
class Suspect:
    """A name given by a person that looks wrong: where, what it could be instead, and why."""

    identity: int
    volume: int
    name: str
    instead: str
    probability: float
    reason: str

    def __str__(self) -> str:
        return f"identity {self.identity}, called {self.name}: {self.reason} (probability {self.probability:.2f})"


def save_suspects(folder: Path, suspects: Sequence[Suspect]) -> None:
    """Keep the doubted names of the last naming, also where there are none any more."""
    write_text(folder / FILE, json.dumps([asdict(one) for one in suspects], indent=1))


def load_suspects(folder: Path) -> list[Suspect]:
    """The doubted names of the last naming; empty where names were never given."""
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        return [Suspect(**one) for one in json.loads(path.read_text(encoding="utf-8"))]
    except (ValueError, TypeError):
        raise DataError(f"{path} is damaged; run `cender name {folder}` again") from None
