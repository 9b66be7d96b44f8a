"""``cender bench suggest``: whether the suggested volumes teach more than others."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import Json, Sets

SIMULATED_VOLUMES = 300
"""One minute of a simulated animal, of which the volumes that are looked at are an even choice."""


def suggest(
    points: Annotated[
        str,
        typer.Argument(
            metavar="POINTS",
            help="Truth folder, points.csv, or .npz with volume, xyz_um and identity; or a simulator preset.",
        ),
    ] = "typical",
    annotate: Annotated[int, typer.Option(min=1, help="Volumes to annotate.")] = 4,
    draws: Annotated[int, typer.Option(min=1, help="Random choices to compare with, for every recording.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="Simulated animals, or trainings of a file's recording.")] = 1,
    volumes: Annotated[
        int, typer.Option(min=3, help="Volumes of the recording that are used, spread evenly over it.")
    ] = 140,
    rows: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where finished trainings are kept and found again.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything random.")] = 0,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Learn from suggested, evenly spaced and randomly drawn volumes, and compare what is recognized in the others."""
    from cender.bench.identity.methods import make_learner
    from cender.bench.paper.identity_rows import describe_recognition
    from cender.bench.suggest import Plan, measure_choices
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import print_json, show_progress

    config, subjects = _open(points, volumes, repeats, seed, sets)
    machine = describe_machine()
    plan = Plan(annotate, draws, seed, describe_recognition(config, "default", simulated=False))
    with show_progress() as bar:
        task = bar.add_task("learning", total=len(subjects) * (3 + draws))
        figures = measure_choices(
            subjects,
            make_learner("default", config),
            plan,
            rows,
            lambda done: bar.update(task, advance=1, description=done.key.split(", ")[-1]),
        )
    if json:
        print_json(figures | machine)
    else:
        _print(figures | machine)


def _open(points: str, volumes: int, repeats: int, seed: int, sets: list[str] | None) -> tuple[Any, list[Any]]:
    """Settings, and the recordings thinned to so many volumes."""
    from cender.bench.identity.data import is_preset, keep_volumes, open_subjects
    from cender.bench.identity.split import thin_volumes
    from cender.config import load_config

    first = [f"simulate.preset={points}", f"simulate.volumes={SIMULATED_VOLUMES}"] if is_preset(points) else []
    config = load_config(None, [*first, *(sets or [])])
    found = open_subjects(points, config, repeats, seed)
    return config, [keep_volumes(one, thin_volumes(sorted(one.seen), volumes)) for one in found]


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    title = f"{figures['data']}: identities after annotating {figures['annotate']} of {figures['volumes']} volumes"
    table = Table(title=title)
    table.add_column("chosen")
    for column in ("accuracy", "spread", "trainings"):
        table.add_column(column, justify="right")
    table.add_row("nothing", f"{100 * figures['accuracy_before']:.1f} %", "–", str(figures["recordings"]))
    for name, one in figures["choices"].items():
        spread = "–" if one["spread"] is None else f"{100 * one['spread']:.1f}"
        table.add_row(name, f"{100 * one['accuracy']:.1f} %", spread, str(one["of"]))
    STDOUT.print(table)
    STDOUT.print(
        f"suggested against random {100 * figures['gain_over_random']:+.1f}, against even "
        f"{100 * figures['gain_over_even']:+.1f} points; at least as good as {figures['draws_beaten']:.0%} of the "
        f"random draws; expected accuracy before {figures['expected_before']:.0%}, forecast {figures['forecast']:.0%}",
        soft_wrap=True,
    )
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}, seed {figures['seed']}", soft_wrap=True)
