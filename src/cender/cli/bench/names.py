"""``cender bench names``: how well cells are named across animals."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import ConfigFile, Json, Sets


def names(
    animals: Annotated[
        Path, typer.Argument(metavar="ANIMALS", help="CSV with lab, worm, group, z_um, y_um, x_um, name, colour0 ….")
    ],
    split: Annotated[
        str, typer.Option(help="groups (all published ones), labs (leave one out), or the name of one group.")
    ] = "groups",
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Score the shipped weights on all animals instead of training.")
    ] = False,
    models: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep and reuse the trained namers of the folds here.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw the atlas, confusions and accuracy by ganglion here.")
    ] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Train on some animals and name the others: colour and position, handedness given, from the lab, unknown.

    Published accuracy of other methods is printed where wormnd_published_accuracy.csv lies beside ANIMALS.
    """
    from cender.bench.names.folds import measure_names
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import print_json, show_progress
    from cender.config import load_config

    config = load_config(config_file, sets or [])
    with show_progress() as bar:
        task = bar.add_task("naming")

        def on_progress(words: str, done: int, total: int) -> None:
            bar.update(task, description=words, completed=done, total=total)

        found = measure_names(
            animals, config, split, shipped=shipped, models=models, figures=figures, on_progress=on_progress
        )
    found["published"] = _read_published(animals.parent / "wormnd_published_accuracy.csv", found)
    found |= describe_machine()
    if json:
        print_json(found)
    else:
        _print(found)


def _read_published(path: Path, figures: dict[str, Any]) -> dict[str, float]:
    """Means of other methods over the animals that were tested here; empty where the file is absent."""
    from cender.bench.names.folds import read_published

    return read_published(path, figures["animals"]) if path.is_file() else {}


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title=f"names of {len(figures['animals'])} animals, {figures['split']}")
    table.add_column("condition")
    for column in ("top-1", "top-5", "calibration error", "handedness right", "s per animal"):
        table.add_column(column, justify="right")
    for condition, one in figures["conditions"].items():
        table.add_row(
            condition,
            f"{100 * one['top1']:.1f}",
            f"{100 * one['top5']:.1f}",
            f"{one['calibration_error']:.3f}",
            f"{100 * one['handedness_right']:.0f} %",
            f"{one['seconds_per_animal']:.2f}",
        )
    for method, value in figures["published"].items():
        table.add_row(f"published, same animals: {method}", f"{100 * value:.1f}", "", "", "", "")
    STDOUT.print(table)
    labs = Table(title="top-1 by laboratory")
    labs.add_column("condition")
    first = next(iter(figures["conditions"].values()))["by_lab"]
    for lab in first:
        labs.add_column(f"{lab} ({first[lab]['animals']})", justify="right")
    for condition, one in figures["conditions"].items():
        labs.add_row(condition, *(f"{100 * row['top1']:.1f}" for row in one["by_lab"].values()))
    STDOUT.print(labs)
    for picture in figures["pictures"]:
        STDOUT.print(picture, soft_wrap=True)
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}")
