"""``cender bench``: the figures of the README and the docs, one function a target."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import ConfigFile, Json, Sets

bench = typer.Typer(
    name="bench",
    help="Measure the figures of the README and the docs, on this machine or on your own data.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@bench.command()
def speed(
    gigabytes: Annotated[float, typer.Option(min=0.1, help="Size of the recordings that are read.")] = 20.0,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to put the file that is read (sparse).")
    ] = None,
    json: Json = False,
) -> None:
    """Measure how fast recordings are drawn and read, and the memory that reading takes at most."""
    from cender.bench.reading import make_long_recording, measure_drawing, measure_file, measure_reading
    from cender.cli.console import print_json, show_progress

    # The file comes first: the peak is that of the process, and nothing else has filled it yet.
    with show_progress() as bar:
        task = bar.add_task("reading a file")
        file = measure_file(gigabytes, folder, lambda done, all: bar.update(task, completed=done, total=all))
        task = bar.add_task("reading a recording made on the fly")
        long = measure_reading(
            make_long_recording(gigabytes), lambda done, all: bar.update(task, completed=done, total=all)
        )
    drawing = measure_drawing()
    figures: dict[str, Any] = {
        "file": file,
        "on_the_fly": long,
        "simulator": drawing,
        "ratios": {
            "reading_to_memmap": file["ms_per_volume"] / file["memmap_ms_per_volume"],
            "drawing_to_memmap": 1e3 * drawing["draw_s_per_volume"] / file["memmap_ms_per_volume"],
        },
        "shape": [18, 1024, 1024],
        **describe_machine(),
    }
    if json:
        print_json(figures)
        return
    _print_speed(figures)


@bench.command()
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
    from cender.bench.realism import SEEDS, compare_with_real
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
        save_figure(figure, picture)
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


def _print_speed(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title="Reading and drawing volumes of 1024 × 1024 × 18, two channels")
    for column in ("", "GB", "GB/s", "ms a volume", "peak memory, MB"):
        table.add_column(column, justify="left" if not column else "right")
    for name, label in (("file", "a raw file"), ("on_the_fly", "a recording made on the fly")):
        one = figures[name]
        peak = "unknown" if one["peak_mb"] is None else f"{one['peak_mb']:.0f}"
        words = (f"{one[key]:.1f}" for key in ("gigabytes", "gb_per_s", "ms_per_volume"))
        table.add_row(label, *words, peak)
    table.add_row("the same file by numpy.memmap", "", "", f"{figures['file']['memmap_ms_per_volume']:.1f}", "")
    table.add_section()
    table.add_row("simulator: a volume", "", "", f"{1e3 * figures['simulator']['draw_s_per_volume']:.0f}", "")
    table.add_row("simulator: its truth", "", "", f"{1e3 * figures['simulator']['truth_s_per_volume']:.0f}", "")
    STDOUT.print(table)
    ratios = figures["ratios"]
    STDOUT.print(
        f"Reading takes {ratios['reading_to_memmap']:.2f} × the time of numpy.memmap, drawing "
        f"{ratios['drawing_to_memmap']:.0f} ×. {figures['machine']}, cender {figures['version']}."
    )


def _format_span(span: tuple[float, float]) -> str:
    low, high = (f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}" for value in span)
    return low if low == high else f"{low} – {high}"


def describe_machine() -> dict[str, str]:
    import os
    import platform

    import cender

    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return {"version": cender.__version__, "machine": f"{system}, Python {platform.python_version()}"}
