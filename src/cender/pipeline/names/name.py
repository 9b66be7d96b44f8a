"""Cell names for the identities of a run folder, written beside its tables."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from cender.config import Config
from cender.io import RunFolder, load_weights, open_folder, shipped_weights
from cender.io.atomic import write_text
from cender.io.results.folder.names import GUESSES
from cender.io.results.folder.suspects import Suspect, save_suspects
from cender.name import Naming, NamingModel, check_names
from cender.name.atlas import swap_side
from cender.name.doubts import SIDE_SURE
from cender.name.params import NameParams
from cender.name.recording import name_recording
from cender.pipeline.names.colours import Colours, match_stack, read_channels, read_identities, read_stack
from cender.pipeline.names.views import View, collect_views
from cender.pipeline.run import open_results
from cender.training.namer.pack import KIND, build_naming_model
from cender.types import Cells

CANDIDATES = 5
"""Names that are listed for an identity."""


@dataclass(frozen=True, slots=True)
class NamedRun:
    """What naming a run came to: one row per identity, sentences of doubt, and names of people that look wrong."""

    table: pl.DataFrame
    doubts: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    mirrored: bool
    side_probability: float


class _Asked(NamedTuple):
    config: Config
    model: NamingModel
    mirrored: bool | None


def name_run(path: Path, config: Config, colours: Path | None = None, weights: Path | None = None) -> NamedRun:
    """Name the identities of a run folder and write ``names.csv``.

    Parameters
    ----------
    colours
        The same animal's NeuroPAL stack: an image, or a CSV table of its neurons with places in µm and ``colour0``
        and on. Rows of a table with a column ``identity`` belong to those identities; other neurons are matched by
        name and place. Without a file, colours come from the channels of the recording that `name.channels` lists.
    weights
        A namer trained on other animals; the shipped one otherwise.
    """
    run = open_folder(path)
    model = build_naming_model(load_weights(weights, KIND) if weights else shipped_weights("namer", KIND))
    views, identities = collect_views(run, config.name.volumes)
    fixed = run.load_names()
    ask = _Asked(config, model, {"unknown": None, "direct": False, "mirrored": True}[config.name.handedness])
    looks = _find_colours(colours, run, views, fixed, ask)
    seen = [(view.identity, view.position_um) for view in views]
    naming = name_recording(seen, identities, looks, fixed, model, ask.mirrored)
    table = tabulate_names(naming, identities, fixed, config.name.refuse_below)
    write_text(run.path / GUESSES, table.write_csv())
    if config.name != NameParams():
        run.save_settings({"name": config.name.model_dump(mode="json")})
    suspects = _list_suspects(max(views, key=len), looks, fixed, ask)
    save_suspects(run.path, suspects)
    return NamedRun(table, naming.doubts, suspects, naming.mirrored, naming.side_probability)


def tabulate_names(naming: Naming, identities: list[int], fixed: dict[int, str], refuse_below: float) -> pl.DataFrame:
    """One row per identity: the name, its probability (none for names of people), who gave it, other candidates."""
    rows = []
    for row, identity in enumerate(identities):
        person = fixed.get(identity, "")
        found = _list_said(row, naming)
        given = person or (found[0][0] if found[0][1] >= refuse_below else "")
        entry: dict[str, object] = {
            "identity": identity,
            "name": given,
            "probability": None if person or not given else round(found[0][1], 4),
            "source": "human" if person else "machine" if given else "",
        }
        for place, (name, chance) in enumerate(found, 1):
            entry[f"name{place}"] = None if person else name
            entry[f"probability{place}"] = None if person else round(chance, 4)
        rows.append(entry)
    schema: dict[str, pl.DataType] = {"identity": pl.Int64(), "name": pl.String()}
    schema |= {"probability": pl.Float64(), "source": pl.String()}
    for place in range(1, CANDIDATES + 1):
        schema |= {f"name{place}": pl.String(), f"probability{place}": pl.Float64()}
    return pl.DataFrame(rows, schema=schema)


def _list_said(row: int, naming: Naming) -> list[tuple[str, float]]:
    """Candidates of one identity, the name given first; both cells of a pair are one where the side is unknown."""
    said: dict[str, float] = {}
    for name, chance in naming.list_candidates(row, 2 * CANDIDATES):
        words = _say_side(name, naming)
        said[words] = said.get(words, 0.0) + chance
    first, *others = said.items()
    return [first, *sorted(others, key=lambda one: -one[1])][:CANDIDATES]


def _say_side(name: str, naming: Naming) -> str:
    """AVAL, or AVAL/R where left and right cannot be told apart."""
    paired = swap_side(name, frozenset(naming.names)) != name
    return name[:-1] + "L/R" if paired and naming.side_probability < SIDE_SURE else name


def _find_colours(
    path: Path | None, run: RunFolder, views: list[View], fixed: dict[int, str], ask: "_Asked"
) -> Colours:
    """Colours by identity from the file given, else from channels of the recording; empty where there are neither."""
    channels = ask.config.name.channels
    if path is None:
        return read_channels(open_results(run.path).recording(), views, channels) if channels else {}
    stack, identities = read_stack(path, ask.config), read_identities(path)
    if identities is not None:
        given = zip(identities, stack.colour, strict=True)
        return {identity: colour for identity, colour in given if identity is not None and identity >= 0}
    return match_stack(stack, max(views, key=len), fixed, ask.model, ask.mirrored)


def _list_suspects(view: View, looks: Colours, fixed: dict[int, str], ask: "_Asked") -> tuple[Suspect, ...]:
    """Names of people that look wrong in one volume."""
    width = max((len(one) for one in looks.values()), default=0)
    colour = np.array([looks.get(one, np.full(width, np.nan)) for one in view.identity]).reshape(len(view), width)
    cells = Cells(view.position_um, colour, tuple(fixed.get(one, "") for one in view.identity))
    return tuple(
        Suspect(view.identity[row], view.volume, cells.name[row], instead, round(chance, 4), reason)
        for row, instead, chance, reason in check_names(cells, ask.model)
    )
