"""``cender name``: cell names for the identities of a run."""

from pathlib import Path
from typing import Annotated

import typer

from cender.cli.options import ConfigFile, Json, Sets


def name(
    worm: Annotated[Path, typer.Argument(metavar="WORM", help="Run folder.")],
    colours: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="NeuroPAL stack: an image, or a CSV of z_um, y_um, x_um, colour0 …."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Namer of `cender train namer`.", show_default="shipped")
    ] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Give identities the names of cells (AVAL …), each with a probability; names of people are never changed.

    Writes names.csv into the run folder. Names come from places alone, or from NeuroPAL colours too: of channels of
    the recording (--set name.channels=2,3,4,0) or of another stack (--colours). Names that people gave in
    identities.csv fix the pose and help the others.
    """
    from dataclasses import asdict

    from cender.cli.console import STDERR, STDOUT, print_json
    from cender.config import load_config
    from cender.io import open_folder
    from cender.io.results.folder.names import GUESSES
    from cender.name.doubts import SIDE_SURE
    from cender.pipeline.names.name import name_run

    kept = open_folder(worm).load_settings().get("name", {})
    config = load_config(config_file, sets or [], base={"name": kept} if kept else None)
    result = name_run(worm, config, colours, model)
    given = result.table.filter(result.table["name"] != "")
    if json:
        print_json(
            {
                "names": result.table.select("identity", "name", "probability", "source").to_dicts(),
                "doubts": list(result.doubts),
                "suspects": [asdict(one) for one in result.suspects],
                "mirrored": result.mirrored,
                "handedness_probability": result.side_probability,
            }
        )
        return
    for row in given.sort("probability", descending=True, nulls_last=False).iter_rows(named=True):
        chance = "given by a person" if row["source"] == "human" else f"{row['probability']:.2f}"
        STDOUT.print(f"{row['identity']:>5}  {row['name']:<8} {chance}")
    STDERR.print(f"{len(given)} of {len(result.table)} identities have a name; all candidates: {worm / GUESSES}")
    if config.name.handedness == "unknown" and result.side_probability >= SIDE_SURE:
        side = "mirrored" if result.mirrored else "direct"
        STDERR.print(f"this animal is seen {side}; other recordings of this microscope: --set name.handedness={side}")
    for doubt in (*result.doubts, *result.suspects):
        STDERR.print(f"[yellow]doubt:[/] {doubt}", soft_wrap=True)
