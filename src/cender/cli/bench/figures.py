"""``cender bench figures``: the paper's figures, drawn from our data."""

from pathlib import Path
from typing import Annotated

import typer

from cender.cli.bench.identity import SIMULATED_VOLUMES
from cender.cli.options import Json, Sets


def figures(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder for the pictures.", show_default=False)],
    only: Annotated[
        list[str] | None, typer.Option(metavar="N", help="Draw only this figure, e.g. 4 or S2 (may be given again).")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", envvar="CENDER_DATA", help="Folder of real data.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full/--quick", help="Whole curves (hours), or a few points of them (minutes).")
    ] = False,
    rows: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Rows of `cender bench tables` to add to the curves.")
    ] = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Draw every figure of the paper, in its numbering, from a simulated animal and from real data where needed.

    Figures are drawn side by side, on as many cores as the command may use, four at most.
    """
    from cender.bench.paper.figures.draw import TITLES, Wish, draw_figures
    from cender.bench.paper.lanes import count_lanes
    from cender.bench.paper.scope import QUICK
    from cender.cli.bench.machine import describe_machine, expect_data
    from cender.cli.console import print_json, show_progress
    from cender.config import load_config
    from cender.io.measured import load_measured

    expect_data(data)
    volumes = SIMULATED_VOLUMES if full else QUICK.length
    config = load_config(None, [f"simulate.volumes={volumes}", *(sets or [])])
    about = describe_machine()
    wish = Wish(only or (), full, data, None if rows is None else load_measured(rows), about["machine"])
    with show_progress() as bar:
        task = bar.add_task("drawing", total=len(only or TITLES))

        def tell(number: str) -> None:
            bar.update(task, advance=1, description=f"figure {number}")

        written = draw_figures(out, config, wish, tell, count_lanes())
    if json:
        print_json({"figures": {number: str(path) for number, path in written.items()}, **about})
        return
    for number, path in written.items():
        typer.echo(f"Fig {number}: {TITLES[number]}: {path}")
