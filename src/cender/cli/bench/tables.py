"""``cender bench tables``: the paper's tables, with ours beside them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cender.cli.options import Json, Sets

if TYPE_CHECKING:
    from cender.bench.paper.items import Item
    from cender.bench.paper.table import Table


def tables(
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", envvar="CENDER_DATA", help="Folder of real data.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full/--quick", help="All that can be measured (overnight), or a look at it (minutes).")
    ] = False,
    rows: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where finished rows are kept and found again.")
    ] = None,
    only_kept: Annotated[
        bool, typer.Option("--kept", help="Measure nothing: print the rows that the file has.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Measure only rows whose key begins so (repeatable).")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")] = False,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Print all tables of the paper in its numbering, with ours under every row, or what a row needs.

    Finished rows are kept one by one in the file that --rows names: the same command goes on after an interruption.
    Rows are measured side by side, one on each core that the command may use, four at most.
    A folder of the paper's own data (OSF v2b5n), as downloaded, gets truth folders C1, C2 and C3 first.
    """
    from functools import partial

    from cender.bench.paper.items import REFUSED, Done, prefer_fuller
    from cender.bench.paper.lanes import Lanes, count_lanes, measure_in_lanes
    from cender.bench.paper.markdown import render_tables
    from cender.bench.paper.measurements import list_items
    from cender.bench.paper.scope import FULL, PRESET, QUICK, Scope
    from cender.bench.paper.tables import build_tables
    from cender.cli.bench.machine import describe_machine, expect_data
    from cender.cli.console import STDERR, print_json, say_always, show_progress
    from cender.config import Config, load_config
    from cender.errors import ConfigError
    from cender.io.exchange.authors.download import prepare_authors
    from cender.io.measured import load_measured

    if only_kept and (rows is None or not rows.is_file()):
        found_there = "" if rows is None else f"; there is no file {rows}"
        raise ConfigError(f"--kept prints the rows of a file: name it with --rows FILE{found_there}")
    if full and rows is None:
        raise ConfigError("--full measures for hours, and an interruption would lose all: keep its rows, --rows FILE")

    def configure(scope: Scope) -> Config:
        return load_config(None, [f"simulate.preset={PRESET}", f"simulate.volumes={scope.length}", *(sets or [])])

    config = configure(FULL if full else QUICK)
    expect_data(data)
    if data is not None and not only_kept:
        for name, count in prepare_authors(data).items():
            STDERR.print(f"{name}: {count} volumes of the authors' data are now the truth folder {data / name}")
    if only_kept and rows is not None:
        found = load_measured(rows)
    else:
        make_items = partial(list_items, config, data, FULL if full else QUICK)
        items, lanes = _choose(make_items(), only, data), Lanes(count_lanes(), make_items)
        if not full and rows is not None and rows.exists():
            items = prefer_fuller(items, list_items(configure(FULL), data, FULL), load_measured(rows))
        with show_progress() as bar, _say_what_is_kept(rows):
            task = bar.add_task("measuring", total=sum(item.about_s for item in items))

            def tell(done: Done) -> None:
                bar.update(task, completed=done.done_s, description=f"{done.key}{' (kept)' if done.kept else ''}")

            found = measure_in_lanes(items, lanes, rows, describe_machine(), tell)
        for key, one in found.items():
            if REFUSED in one.figures:
                say_always(f"{key}: not measured, {one.figures[REFUSED]}")
        # Rows of other runs stay in the tables: those of other weights, or of --full.
        found = {**({} if rows is None else load_measured(rows)), **found}
    built = build_tables(found, data)
    if json:
        print_json(
            {
                "tables": [one.as_json() for one in built],
                "scope": "full" if full else "quick",
                "preset_hash": config.simulate.hash,
                "provenance": {key: one.provenance for key, one in found.items()},
                **describe_machine(),
            }
        )
    elif markdown:
        typer.echo(render_tables(built, found), nl=False)
    else:
        _print(built, "full" if full else "quick", config.simulate.hash)


def _choose(items: "list[Item]", only: list[str] | None, data: Path | None) -> "list[Item]":
    from cender.errors import ConfigError

    chosen = [item for item in items if only is None or item.key.startswith(tuple(only))]
    if not chosen:
        keys = "; ".join(item.key for item in items)
        given = "without --data" if data is None else f"with the data in {data}"
        raise ConfigError(
            f"--only {', '.join(only or ())}: no row that can be measured {given} begins so; there are {keys}"
        )
    return chosen


@contextmanager
def _say_what_is_kept(rows: Path | None) -> Iterator[None]:
    """On Ctrl-C, say how to go on."""
    from cender.cli.console import say_always
    from cender.io.measured import load_measured
    from cender.types.words import say_count

    try:
        yield
    except KeyboardInterrupt:
        kept = "nothing is kept; name a file with --rows FILE to go on from it later"
        if rows is not None:
            count = say_count(len(load_measured(rows)), "finished row")
            kept = f"{rows} keeps {count}; the same command goes on from there"
        say_always(f"stopped: {kept}")
        raise


def _print(built: "list[Table]", scope: str, preset_hash: str) -> None:
    from rich.table import Table as Drawn

    from cender.bench.paper.scope import PRESET
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import STDOUT

    for one in built:
        rows, notes = one.as_text()
        table = Drawn(title=one.heading, caption=one.note or None)
        for place, column in enumerate(one.columns):
            numeric = any(isinstance(row[place], float) for row in one.rows)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold")
        for row in rows:
            table.add_row(*row)
        STDOUT.print(table)
        for number, note in enumerate(notes, 1):
            STDOUT.print(f"({number}) {note}", soft_wrap=True, markup=False, highlight=False)
        STDOUT.print()
    about = describe_machine()
    STDOUT.print(f"Scope {scope}, simulated {PRESET} {preset_hash}; {about['machine']}, cender {about['version']}")
