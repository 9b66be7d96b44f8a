"""``cender bench activity``: how well activity is measured."""

from functools import partial
from typing import Annotated, Any

import typer

from cender.cli.options import ConfigFile, Json, Sets


def activity(
    presets: Annotated[list[str] | None, typer.Option("--preset", help="Preset (may be given again).")] = None,
    animals: Annotated[int, typer.Option(min=1, help="Unseen animals of each preset.")] = 2,
    volumes: Annotated[int, typer.Option(min=3, help="Consecutive volumes of each animal.")] = 100,
    config_file: ConfigFile = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Compare measured with true activity of simulated animals whose regions and identities are known."""
    from cender.bench.activity import measure_activity
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import print_json, show_progress
    from cender.config import load_config

    results = []
    with show_progress() as bar:
        for preset in presets or ["typical"]:
            task = bar.add_task(f"{preset}: measuring activity", total=animals * volumes)
            config = load_config(config_file, [*(sets or []), f"simulate.preset={preset}"])
            told = partial(bar.advance, task)
            results.append(measure_activity(config.simulate, animals, volumes, config.activity, told))
    figures = {"presets": results, **describe_machine()}
    if json:
        print_json(figures)
    else:
        _print(figures)


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    for result in figures["presets"]:
        table = Table(title=f"{result['preset']} ({result['preset_hash']}): {result['split']}")
        table.add_column("true regions and identities")
        table.add_column("", justify="right")
        for label, value in (
            ("correlation of the ratio as measured", _format(result["correlation"])),
            ("… if photon and read noise were all", _format(result["correlation_limit"])),
            (f"… smoothed over {result['smooth_s']:g} s", _format(result["correlation_smooth"])),
            ("neurons whose true ratio varies by 10 %", str(result["varying"])),
            ("valid, of the neurons seen", f"{100 * result['valid']:.1f} %"),
            ("map between the channels, error", f"{result['map_error_px']:.2f} px"),
            ("intensities of a volume, processor time", f"{result['ms_per_volume']:.1f} ms"),
        ):
            table.add_row(label, value)
        STDOUT.print(table)
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}")


def _format(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
