"""``cender bench detection``: how well neurons are found."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import ConfigFile, Json, Sets

PAPER = {
    "2D F1, its own data": "92.6–93.1 %",
    "3D F1 end to end, its own data": "83.6–87.4 %",
    "3D F1 from human boxes": "91.7–93.5 %",
}


def detection(
    presets: Annotated[list[str] | None, typer.Option("--preset", help="Preset (may be given again).")] = None,
    animals: Annotated[int, typer.Option(min=1, help="Unseen animals of each preset.")] = 4,
    volumes: Annotated[int, typer.Option(min=1, help="Volumes of each animal.")] = 1,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", envvar="CENDER_DATA", help="Also measure on real heads.")
    ] = None,
    only: Annotated[str | None, typer.Option(help="Only this detector: default or paper.")] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Compare our detector with the paper's on the same unseen simulated volumes, and measure ours on real heads."""
    from cender.bench.detection.measure import choose_method, measure_detection
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import STDERR, print_json, show_progress
    from cender.config import load_config
    from cender.errors import ConfigError
    from cender.pipeline.volumes.detector import build_detector

    if only not in (None, "default", "paper"):
        raise ConfigError(f"--only expects default or paper; found {only}")
    config = load_config(config_file, sets or [])
    methods = [only] if only else ["default", "paper"]
    detectors = {method: build_detector(choose_method(config.detect, method)) for method in methods}
    results = []
    with show_progress() as bar:
        for preset in presets or ["typical", "hard"]:
            task = bar.add_task(f"{preset}: finding neurons", total=animals * volumes)
            simulated = load_config(config_file, [*(sets or []), f"simulate.preset={preset}"])
            results.append(measure_detection(simulated, animals, volumes, detectors, partial(bar.advance, task)))
    real: dict[str, Any] | None = None
    if data is not None:
        from cender.bench.detection.heads import measure_heads

        real = measure_heads(data, config, on_pair=lambda name: STDERR.print(f"learnt from {name}"))
    figures = {"presets": results, "real": real, "paper": PAPER, **describe_machine()}
    if json:
        print_json(figures)
    else:
        _print(figures)


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    for result in figures["presets"]:
        title = f"{result['preset']} ({result['preset_hash']}): {result['split']}"
        table = Table(title=title, caption="Percent; 2D and 3D at IoU > 0.3, centres within 2 µm.")
        for column in ("", "2D F1", "3D P", "3D R", "3D F1", "centre F1", "axes", "flagged", "ms"):
            table.add_column(column, justify="left" if not column else "right")
        for name, task in result["tasks"].items():
            table.add_row(name, *_row(task))
        STDOUT.print(table)
    for figure, value in figures["paper"].items():
        STDOUT.print(f"The paper's {figure}: {value}")
    real = figures["real"]
    if real is not None:
        for key, label in (("zero_shot", "shipped weights"), ("fine_tuned_on_two", "after learning from two heads")):
            mean = real[key]["mean"]
            STDOUT.print(
                f"Real heads, {label}: {100 * mean['recall']:.1f} % of the annotated points within 2 µm, "
                f"{mean['detections_per_point']:.2f} detections a point"
            )
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}")


def _row(task: dict[str, Any]) -> list[str]:
    def percent(value: float | None) -> str:
        return "–" if value is None else f"{100 * value:.1f}"

    flat, solid, centre, axes = (task[key] for key in ("detection_2d", "detection_3d", "centre", "axes"))
    values = [flat["f1"], solid["precision"], solid["recall"], solid["f1"], centre["f1"]]
    return [*map(percent, [*values, axes["accuracy"], axes["flagged"]]), f"{task['ms_per_volume']:.0f}"]
