"""``cender bench baseline``: how good the paper's detector gets, over width and training steps."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import Json, Sets


def baseline(
    width: Annotated[
        list[float] | None, typer.Option(min=0.01, max=1.0, help="Factor on the paper's channels (may be given again).")
    ] = None,
    cycles: Annotated[int, typer.Option(min=1, help="Of 1, 2, 4, … epochs of 15,000 anchors each.")] = 3,
    anchors: Annotated[
        list[str] | None, typer.Option(metavar="PX", help="Anchor sides: 9, or 7,11 (may be given again).")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where finished rows are kept and found again.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where weights go after every cycle, and training goes on from.")
    ] = None,
    annotated: Annotated[
        list[Path] | None,
        typer.Option("--own", metavar="FOLDER", help="Learn from its annotated volumes, too (may be given again)."),
    ] = None,
    momentum: Annotated[
        float, typer.Option(min=0, max=0.99, help="Of the gradient descent; the paper's text has none (0).")
    ] = 0.9,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Train the paper's detector at several widths and print its 2D F1 on validation animals after every cycle."""
    from cender.bench.paper.curve import list_curve
    from cender.bench.paper.items import Done, measure_items
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import print_json, show_progress
    from cender.config import load_config

    if weights is not None:
        weights.mkdir(parents=True, exist_ok=True)
    sizes = [_read_anchors(word) for word in anchors or ["9"]]
    config, widths = load_config(None, sets or []), width or [0.0625, 0.125, 0.25]
    items = list_curve(widths, cycles, sizes, weights, config, annotated or (), momentum)
    with show_progress() as bar:
        task = bar.add_task("training", total=sum(item.about_s for item in items))

        def tell(done: Done) -> None:
            bar.update(task, completed=done.done_s, description=done.key)

        found = measure_items(items, rows, describe_machine(), tell)
    figures = {key: {**one.figures, "provenance": one.provenance} for key, one in found.items()}
    if json:
        print_json(figures)
    else:
        _print(figures)


def _read_anchors(word: str) -> tuple[int, ...]:
    from cender.errors import ConfigError

    try:
        return tuple(int(part) for part in word.split(","))
    except ValueError:
        raise ConfigError(f"--anchors expects sides in pixels such as 9 or 7,11; found {word}") from None


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title="The paper's detector: 2D F1 on validation animals, percent")
    for column in ("training", "parameters", "steps", "F1", "core minutes"):
        table.add_column(column, justify="left" if column == "training" else "right")
    for key, one in figures.items():
        cells = (f"{one['steps']:g}", f"{100 * one['f1']:.2f}", f"{one['train_s'] / 60:.1f}")
        table.add_row(key.removeprefix("curve, "), f"{one['parameters']:,}", *cells)
    STDOUT.print(table)
