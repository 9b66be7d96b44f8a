"""``cender bench tables``: the paper's tables, with ours beside them."""

from pathlib import Path
from typing import Annotated

import typer

from cender.cli.bench.identity import SIMULATED_VOLUMES
from cender.cli.options import Json, Sets


def tables(
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", envvar="CENDER_DATA", help="Folder of real data.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full/--quick", help="All that the documents print (hours), or a look at it (minutes).")
    ] = False,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Print the paper's tables with its figures, its rivals' and ours, and say what could not be run."""
    from rich.table import Table

    from cender.bench.paper.tables import PRESET, build_tables
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import STDERR, STDOUT, print_json
    from cender.config import load_config

    first = [f"simulate.preset={PRESET}", f"simulate.volumes={SIMULATED_VOLUMES}"]
    config = load_config(None, [*first, *(sets or [])])
    built = build_tables(config, data, full, lambda label: STDERR.print(f"measured: {label}"))
    figures = {
        "tables": [one.as_json() for one in built],
        "scope": "full" if full else "quick",
        "preset_hash": config.simulate.hash,
        **describe_machine(),
    }
    if json:
        print_json(figures)
        return
    for one in built:
        table = Table(title=one.title, caption=one.note or None, show_lines=len(one.columns) == 1)
        for column in one.columns:
            numeric = any(isinstance(row[one.columns.index(column)], float) for row in one.rows)
            table.add_column(column, justify="right" if numeric else "left")
        for row in one.rows:
            table.add_row(*(_show(cell) for cell in row))
        STDOUT.print(table)
    STDOUT.print(
        f"Scope {figures['scope']}, simulated {PRESET} {figures['preset_hash']}; "
        f"{figures['machine']}, cender {figures['version']}"
    )


def _show(cell: str | float | None) -> str:
    if cell is None:
        return "–"
    return cell if isinstance(cell, str) else f"{cell:g}"
