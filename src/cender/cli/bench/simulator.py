"""``cender bench simulator``: how true the simulator is."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import ConfigFile, Json, Sets


def simulator(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FOLDER", envvar="CENDER_DATA", help="Folder of real data."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw real and simulated frames side by side, as PNG.")
    ] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Compare simulated recordings with real ones: camera, anatomy, motion, activity and bending."""
    from cender.bench.realism.compare import SEEDS, compare_with_real
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import STDERR, print_json
    from cender.config import load_config
    from cender.errors import DataError

    if data is None or not data.is_dir():
        raise DataError(
            "expected a folder of real data in --data or CENDER_DATA" + (f"; {data} is none" if data else "")
        )
    params = load_config(config_file, sets or []).simulate
    realism = compare_with_real(data, params, SEEDS, on_step=lambda step: STDERR.print(f"measured: {step}"))
    if picture is not None:
        from cender.plots.realism import draw_realism
        from cender.plots.style import save_figure

        figure = draw_realism(realism.real_frames, realism.simulated_frames)
        save_figure(figure, picture, compact=True)
    if json:
        print_json(
            {
                "preset": realism.preset,
                "preset_hash": realism.preset_hash,
                "seeds": list(SEEDS),
                "comparisons": [one.as_json() for one in realism.comparisons],
                **describe_machine(),
            }
        )
        return
    _print_realism(realism, SEEDS)


def _print_realism(realism: Any, seeds: tuple[int, ...]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(
        title=f"Simulated ({realism.preset} {realism.preset_hash}, seeds {seeds[0]}–{seeds[-1]}) and real",
        caption="Lowest – highest where several animals or laboratories were measured.",
    )
    for column in ("", "figure", "real", "simulated", "unit", "real data"):
        table.add_column(column, justify="right" if column in ("real", "simulated") else "left")
    last = ""
    for one in realism.comparisons:
        if one.group != last and last:
            table.add_section()
        table.add_row(
            one.group if one.group != last else "",
            one.figure,
            _format_span(one.real),
            _format_span(one.simulated),
            one.unit,
            one.source,
        )
        last = one.group
    STDOUT.print(table)


def _format_span(span: tuple[float, float]) -> str:
    low, high = (f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}" for value in span)
    return low if low == high else f"{low} – {high}"
