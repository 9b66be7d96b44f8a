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
CAPTION = (
    "Percent; 2D and 3D at IoU > 0.3, centres within 2 µm. Closest quarter: 3D recall of the quarter of the neurons "
    "that are nearest to another one."
)


def detection(
    presets: Annotated[
        list[str] | None,
        typer.Option("--preset", help="Preset, or 'rigs' for microscopes drawn at random (may be given again)."),
    ] = None,
    animals: Annotated[int, typer.Option(min=1, help="Unseen animals of each preset, or rigs.")] = 4,
    volumes: Annotated[int, typer.Option(min=1, help="Volumes of each animal.")] = 1,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", envvar="CENDER_DATA", help="Also measure on real heads.")
    ] = None,
    only: Annotated[str | None, typer.Option(help="Only this detector: default or paper.")] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Compare our detector with the paper's on the same unseen simulated volumes, and measure ours on real heads.

    With --data also on the moving head of another rig, where the folder holds one.
    """
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
    results: list[dict[str, Any]] = []
    rigs: dict[str, Any] = {}
    with show_progress() as bar:
        for preset in presets or ["typical", "hard"]:
            if preset == "rigs":
                from cender.bench.detection.rigs import measure_rigs

                task = bar.add_task("rigs: finding neurons", total=animals * len(detectors))
                for name, detector in detectors.items():
                    rigs[name] = measure_rigs(animals, detector, config, on_rig=partial(bar.advance, task))
                continue
            task = bar.add_task(f"{preset}: finding neurons", total=animals * volumes)
            simulated = load_config(config_file, [*(sets or []), f"simulate.preset={preset}"])
            results.append(measure_detection(simulated, animals, volumes, detectors, partial(bar.advance, task)))
    real: dict[str, Any] | None = None
    if data is not None:
        from cender.bench.detection.heads import measure_heads
        from cender.bench.detection.moving import FILE, measure_moving

        real = measure_heads(data, config, on_pair=lambda name: STDERR.print(f"learnt from {name}"))
        if (data / FILE).exists() and "default" in detectors:
            real["moving"] = measure_moving(data / FILE, detectors["default"], config)
    figures = {"presets": results, "rigs": rigs, "real": real, "paper": PAPER, **describe_machine()}
    if json:
        print_json(figures)
    else:
        _print(figures)


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    for result in figures["presets"]:
        title = f"{result['preset']} ({result['preset_hash']}): {result['split']}"
        table = Table(title=title, caption=CAPTION)
        for column in ("", "2D F1", "3D P", "3D R", "3D F1", "centre F1", "closest quarter", "axes", "flagged", "ms"):
            table.add_column(column, justify="left" if not column else "right")
        for name, task in result["tasks"].items():
            table.add_row(name, *_row(task))
        STDOUT.print(table)
    for name, result in figures["rigs"].items():
        STDOUT.print(
            f"rigs ({result['preset_hash']}), {name}: {result['split']}: 3D F1 {100 * result['mean_f1']:.1f} % on "
            f"average, {100 * result['worst_tenth_f1']:.1f} % on the worst tenth of them; "
            f"{100 * result['blended']:.1f} % of the neurons lie within a frame and 0.6 widths of another"
        )
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
        if "moving" in real:
            moving = real["moving"]
            STDOUT.print(
                f"A moving head of another rig: {100 * moving['recall']:.1f} % of the annotated points within 2 pixels "
                f"and 2 frames (by volume {', '.join(f'{100 * one:.0f}' for one in moving['recall_by_volume'])}), "
                f"{100 * moving['recall_within_2_um']:.1f} % within 2 µm, "
                f"{moving['detections_per_point']:.2f} detections per point, "
                f"{100 * moving['flagged']:.0f} % of the volumes flagged"
            )
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}")


def _row(task: dict[str, Any]) -> list[str]:
    def percent(value: float | None) -> str:
        return "–" if value is None else f"{100 * value:.1f}"

    flat, solid, centre, axes = (task[key] for key in ("detection_2d", "detection_3d", "centre", "axes"))
    quarters = task["by_nearest_neighbour"]
    closest = quarters[0]["recall"] if quarters else None
    values = [flat["f1"], solid["precision"], solid["recall"], solid["f1"], centre["f1"], closest]
    return [*map(percent, [*values, axes["accuracy"], axes["flagged"]]), f"{task['ms_per_volume']:.0f}"]
