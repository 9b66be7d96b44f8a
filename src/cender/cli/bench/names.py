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
        str, typer.Option(help="groups (all published ones), labs (leave one out), or the names of some: 1,2 or EY.")
    ] = "groups",
    centres: Annotated[
        str,
        typer.Option(
            help="annotated; detected (in neuropal_head_*.npz beside ANIMALS); moving (a simulated recording, one "
            "volume against many); partial (front or back of a head)."
        ),
    ] = "annotated",
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Score the shipped weights on all animals instead of training.")
    ] = False,
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep trained namers and finished folds here, and go on there.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw atlas, confusions, accuracy by ganglion and worm here.")
    ] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Train on some animals and name the others: colour and position, handedness given, from the lab, unknown.

    Published accuracy of other methods is printed where wormnd_published_accuracy.csv lies beside ANIMALS.
    """
    from cender.bench.names.folds import CENTRES, measure_names
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import print_json, show_progress
    from cender.config import load_config
    from cender.errors import ConfigError

    kind = next((one for one in CENTRES if one == centres), None)
    if kind is None:
        raise ConfigError(f"--centres is one of {', '.join(CENTRES)}, found {centres!r}")
    config = load_config(config_file, sets or [])
    with show_progress() as bar:
        task = bar.add_task("naming")

        def on_progress(words: str, done: int, total: int) -> None:
            bar.update(task, description=words, completed=done, total=total)

        found = measure_names(
            animals,
            config,
            split,
            centres=kind,
            shipped=shipped,
            keep=keep,
            figures=figures,
            on_progress=on_progress,
        )
    found |= describe_machine()
    if json:
        print_json(found)
    else:
        _print(found)


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title=f"names of {len(figures['animals'])} animals, {figures['split']}")
    table.add_column("condition")
    for column in ("top-1", "top-5", "names it knows", "calibration error", "handedness right", "s per animal"):
        table.add_column(column, justify="right")
    for condition, one in figures["conditions"].items():
        table.add_row(
            condition,
            f"{100 * one['top1']:.1f}",
            f"{100 * one['top5']:.1f}",
            f"{100 * one['known']:.1f}",
            f"{one['calibration_error']:.3f}",
            f"{100 * one['handedness_right']:.0f} %",
            f"{one['seconds_per_animal']:.2f}",
        )
    STDOUT.print(table)
    _print_labs(figures)
    for picture in figures["pictures"]:
        STDOUT.print(picture, soft_wrap=True)
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}")


def _print_labs(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    first = next(iter(figures["conditions"].values()))["by_lab"]
    labs = Table(title="top-1 by laboratory")
    labs.add_column("condition")
    for lab in first:
        labs.add_column(f"{lab} ({first[lab]['animals']})", justify="right")
    labs.add_column("mean of labs", justify="right")
    labs.add_column("all animals", justify="right")
    for condition, one in figures["conditions"].items():
        shares = [one["by_lab"][lab]["top1"] if lab in one["by_lab"] else None for lab in first]
        labs.add_row(condition, *(_percent(share) for share in (*shares, one["top1_mean_of_labs"], one["top1"])))
    published = figures["published"]
    for words, found in ((f"{published['animals']} of these: ", "ours"), ("the same, published: ", "methods")):
        for name, one in published[found].items():
            shares = [one["by_lab"].get(lab) for lab in first]
            labs.add_row(f"{words}{name}", *(_percent(share) for share in shares), "", _percent(one["top1"]))
    STDOUT.print(labs)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"
