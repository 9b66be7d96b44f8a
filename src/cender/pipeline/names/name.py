"""Cell names for the identities of a run folder, written beside its tables."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from scipy.optimize import linear_sum_assignment

from cender.config import Config
from cender.errors import DataError
from cender.io import RunFolder, load_weights, open_folder, shipped_weights
from cender.io.atomic import write_text
from cender.io.cells import load_cells
from cender.name.atlas import UNIT_UM
from cender.name.model import Naming, NamingModel, check_names, name_cells
from cender.name.recording import name_recording
from cender.training.namer.train import KIND, build_naming_model
from cender.types import Cells

CANDIDATES = 5
SURE_IDENTITY = 0.5
MATCH_UM = 6.0
TABLE = "names.csv"


@dataclass(frozen=True, slots=True)
class NamedRun:
    """What naming a run came to: one row per identity, sentences of doubt, and names of people that look wrong."""

    table: pl.DataFrame
    doubts: tuple[str, ...]
    suspects: tuple[str, ...]
    mirrored: bool
    side_probability: float


def name_run(path: Path, config: Config, colours: Path | None = None, weights: Path | None = None) -> NamedRun:
    """Name the identities of a run folder and write ``names.csv``.

    Parameters
    ----------
    colours
        A CSV table of the same animal's NeuroPAL stack: places in µm with ``colour0`` and on; with a column
        ``identity`` its rows belong to those identities, without one they are matched by name and place.
    weights
        A namer trained on other animals; the shipped one otherwise.
    """
    run = open_folder(path)
    model = build_naming_model(load_weights(weights, KIND) if weights else shipped_weights("namer", KIND))
    volumes, identities = _collect_volumes(run, config.name.volumes)
    fixed = run.load_names()
    mirrored = {"unknown": None, "direct": False, "mirrored": True}[config.name.handedness]
    looks = _load_colours(colours, volumes, model, mirrored, fixed) if colours else {}
    naming = name_recording(volumes, identities, looks, fixed, model, mirrored)
    table = tabulate_names(naming, identities, fixed, config.name.refuse_below)
    write_text(run.path / TABLE, table.write_csv())
    if config.name.handedness != "unknown":
        run.save_settings({"name": config.name.model_dump()})
    suspects = _list_suspects(volumes, looks, fixed, model)
    note = {"doubts": naming.doubts, "suspects": suspects, "mirrored": naming.mirrored}
    write_text(run.path / "names.json", json.dumps(note, indent=1))
    return NamedRun(table, naming.doubts, suspects, naming.mirrored, naming.side_probability)


def tabulate_names(naming: Naming, identities: list[int], fixed: dict[int, str], refuse_below: float) -> pl.DataFrame:
    """One row per identity: the name, its probability (none for names of people), who gave it, other candidates."""
    rows = []
    for row, identity in enumerate(identities):
        person = fixed.get(identity, "")
        found = [(_say_side(name, naming), chance) for name, chance in naming.list_candidates(row, CANDIDATES)]
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


def _say_side(name: str, naming: Naming) -> str:
    """AVAL, or AVAL/R where left and right cannot be told apart."""
    paired = name[-1:] in {"L", "R"} and name[:-1] + ("R" if name[-1] == "L" else "L") in naming.names
    return name[:-1] + "L/R" if paired and naming.side_probability < 0.95 else name


def _collect_volumes(run: RunFolder, count: int) -> tuple[list[tuple[list[int], np.ndarray]], list[int]]:
    """Volumes with the most identities, spread over the recording, and all identities."""
    neurons = run.load_table("neurons").filter((pl.col("identity") >= 0) & (pl.col("probability") >= SURE_IDENTITY))
    if neurons.is_empty():
        raise DataError(f"{run.path}: no neuron has an identity yet; names are given to identities")
    identities = sorted(neurons["identity"].unique().to_list())
    sizes = neurons.group_by("volume").len().sort("volume")
    blocks = np.array_split(np.arange(len(sizes)), min(count, len(sizes)))
    volumes = []
    for block in blocks:
        part = sizes[block.tolist()]
        best = part.sort("len", descending=True)["volume"][0]
        rows = neurons.filter(pl.col("volume") == best).unique("identity", maintain_order=True)
        volumes.append((rows["identity"].to_list(), rows.select("z_um", "y_um", "x_um").to_numpy()))
    return volumes, identities


def _load_colours(
    path: Path,
    volumes: list[tuple[list[int], np.ndarray]],
    model: NamingModel,
    mirrored: bool | None,
    fixed: dict[int, str],
) -> dict[int, np.ndarray]:
    """Colours by identity, from a table with identities or by matching the stack's neurons with tracked ones."""
    stacks = load_cells([path])
    if len(stacks) != 1 or not stacks[0].colour.shape[1]:
        found = "no colours" if len(stacks) == 1 else f"{len(stacks)} animals"
        raise DataError(f"{path}: expected one animal with colour0, colour1 …; found {found}")
    stack = stacks[0]
    table = pl.read_csv(path)
    if "identity" in table.columns:
        return {
            identity: colour
            for identity, colour in zip(table["identity"].to_list(), stack.colour, strict=True)
            if identity is not None and identity >= 0
        }
    seen, points = max(volumes, key=lambda one: len(one[0]))
    tracked = Cells(points, np.zeros((len(seen), 0)), tuple(fixed.get(one, "") for one in seen))
    there = name_cells(stack, model, mirrored)
    here = name_cells(tracked, model, there.mirrored)
    # Both lie in the frame of the atlas: near and alike in their names is the same neuron.
    apart = np.linalg.norm(
        here.sight.way.apply(points)[:, None] - there.sight.way.apply(stack.position_um)[None], axis=2
    )
    alike = np.exp(np.minimum(here.posterior, 0)) @ np.exp(np.minimum(there.posterior, 0)).T
    cost = (apart * UNIT_UM / MATCH_UM) ** 2 - np.log(alike + 1e-3)
    pairs = zip(*linear_sum_assignment(cost), strict=True)
    return {seen[row]: stack.colour[column] for row, column in pairs if apart[row, column] * UNIT_UM < 2 * MATCH_UM}


def _list_suspects(
    volumes: list[tuple[list[int], np.ndarray]],
    looks: dict[int, np.ndarray],
    fixed: dict[int, str],
    model: NamingModel,
) -> tuple[str, ...]:
    """Names of people that look wrong, in words."""
    seen, points = max(volumes, key=lambda one: len(one[0]))
    width = max((len(one) for one in looks.values()), default=0)
    colour = np.array([looks.get(one, np.full(width, np.nan)) for one in seen]).reshape(len(seen), width)
    cells = Cells(points, colour, tuple(fixed.get(one, "") for one in seen))
    return tuple(
        f"identity {seen[row]}, called {cells.name[row]}: {reason} (probability {chance:.2f})"
        for row, _, chance, reason in check_names(cells, model)
    )
