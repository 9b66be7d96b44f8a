"""``cender bench speed``: time and memory."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import ConfigFile, Json, Sets


def speed(
    gigabytes: Annotated[float, typer.Option(min=0.1, help="Size of the recordings that are read.")] = 20.0,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to put the file that is read (sparse).")
    ] = None,
    volumes: Annotated[int, typer.Option(min=0, help="Volumes of a whole run from file to tables; 0: none.")] = 200,
    long: Annotated[int, typer.Option(min=0, help="Volumes of a run whose memory is measured; 0: none.")] = 2000,
    kills: Annotated[int, typer.Option(min=0, help="Runs to kill at random moments and to take up again.")] = 20,
    config_file: ConfigFile = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Measure how fast recordings are read and drawn, how fast neurons are found, and the memory that takes."""
    from cender.bench.speed.reading import make_long_recording, measure_drawing, measure_file, measure_reading
    from cender.bench.speed.stages import measure_paper_network, measure_stages
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import STDERR, print_json, show_progress
    from cender.config import load_config
    from cender.pipeline.resources import settle_resources

    # The file comes first: the peak is that of the process, and nothing else has filled it yet.
    with show_progress() as bar:
        task = bar.add_task("reading a file")
        file = measure_file(gigabytes, folder, lambda done, all: bar.update(task, completed=done, total=all))
        task = bar.add_task("reading a recording made on the fly")
        fly = measure_reading(
            make_long_recording(gigabytes), lambda done, all: bar.update(task, completed=done, total=all)
        )
    drawing = measure_drawing()
    STDERR.print("finding neurons, beside reading and beside the paper's network")
    config = load_config(config_file, sets or [])
    # From here on as in `cender run`.
    with settle_resources():
        stages = measure_stages(config.detect)
    figures: dict[str, Any] = {
        "file": file,
        "on_the_fly": fly,
        "simulator": drawing,
        "stages": stages,
        "paper_network": measure_paper_network(stages["total_ms"]),
        **_measure_runs(config, folder, volumes, long, kills),
        "ratios": {
            "reading_to_memmap": file["warm_ms_per_volume"] / file["memmap_ms_per_volume"],
            "drawing_to_memmap": 1e3 * drawing["draw_s_per_volume"] / file["memmap_ms_per_volume"],
        },
        "shape": [18, 1024, 1024],
        **describe_machine(),
    }
    if json:
        print_json(figures)
        return
    _print_speed(figures)


def _measure_runs(config: Any, folder: Path | None, volumes: int, long: int, kills: int) -> dict[str, Any]:
    """Figures of whole runs; those of which none is wanted are left out."""
    from cender.bench.speed.resume import measure_resume
    from cender.bench.speed.run import measure_memory, measure_run
    from cender.cli.console import STDERR, show_progress

    figures: dict[str, Any] = {}
    with show_progress() as bar:
        if volumes:
            task = bar.add_task("running from file to tables")
            figures["run"] = measure_run(
                config, volumes, folder, lambda done, all: bar.update(task, completed=done, total=all)
            )
        if kills:
            killing = bar.add_task("killing runs")
            figures["resume"] = measure_resume(kills, lambda n, all: bar.update(killing, completed=n, total=all))
    if long:
        STDERR.print(f"memory of a run over {long} volumes")
        figures["memory"] = measure_memory(config, long)
    return figures


def _print_runs(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    if "run" in figures:
        table = Table(title=f"A whole run, {figures['run']['volumes']} volumes, from file to tables")
        for column in ("file", "ms per volume", "volumes/s", "reading and projecting, ms", "ratio"):
            table.add_column(column, justify="left" if column == "file" else "right")
        for name in ("warm", "cold"):
            if name in figures["run"]:
                one = figures["run"][name]
                numbers = (one["run_ms_per_volume"], one["volumes_per_s"], one["read_and_project_ms"])
                table.add_row(name, *(f"{number:.1f}" for number in (*numbers, one["ratio_to_reading"])))
        STDOUT.print(table)
        _print_shares(figures["run"]["warm"])
    if "memory" in figures:
        one = figures["memory"]
        if one["peak_mb"] is not None:
            STDOUT.print(
                f"Memory of a run over {one['volumes']} volumes: "
                + ", ".join(f"{mb:.0f} MB after {share} %" for share, mb in one["mb_after"].items())
                + f", {one['peak_mb']:.0f} MB once the tables are there ({one['seconds']:.0f} s)."
            )
    if "resume" in figures:
        one = figures["resume"]
        where = ", ".join(f"{count} while {phase}" for phase, count in one["in_phase"].items())
        STDOUT.print(f"Killed and taken up again: {one['alike']} of {one['kills']} ended alike ({where}).")


def _print_shares(run: dict[str, Any]) -> None:
    """Where a run from a warm file spent its time: with every volume, and once."""
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title="Where it went (warm)")
    table.add_column("")
    table.add_column("ms per volume", justify="right")
    table.add_column("once, s", justify="right")
    for stage, milliseconds in run["stages_ms"].items():
        table.add_row(stage, f"{milliseconds:.1f}", "")
    if run["volume_ms"] is not None:
        table.add_row("a volume, with several at a time", f"{run['volume_ms']:.1f}", "")
    table.add_section()
    for what, seconds in run["once_s"].items():
        table.add_row(what, "", f"{seconds:.1f}")
    STDOUT.print(table)


def _print_speed(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title="Reading and drawing volumes of 1024 × 1024 × 18, two channels")
    for column in ("", "GB", "GB/s", "ms per volume", "peak memory, MB"):
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
    _print_stages(figures["stages"], figures["paper_network"])
    _print_runs(figures)


def _print_stages(stages: dict[str, Any], paper: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title="Finding neurons in a volume of 1024 × 1024 × 18, from memory (medians)")
    for column in ("", "ms"):
        table.add_column(column, justify="left" if not column else "right")
    for stage, milliseconds in stages["stages_ms"].items():
        table.add_row(stage, f"{milliseconds:.1f}")
    table.add_section()
    table.add_row("stages 1 to 3", f"{stages['total_ms']:.1f}")
    table.add_row("reading the file and one projection", f"{stages['read_and_project_ms']:.1f}")
    table.add_row(f"the paper's network at full width, {paper['anchors']} anchors", f"{paper['network_ms']:.0f}")
    STDOUT.print(table)
    peak = stages["peak_mb_above_volumes"]
    STDOUT.print(
        f"{stages['ratio_to_reading']:.1f} × reading and projecting; the paper's network alone takes "
        f"{paper['times_slower_than_our_stages']:.0f} × all of that (timed on {paper['anchors_timed']} anchors). "
        f"Peak memory above the volumes and the loaded network: {'unknown' if peak is None else f'{peak:.0f} MB'}."
    )
