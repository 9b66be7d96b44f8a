"""``cender bench suggest``: whether the suggested volumes teach more than others."""

from typing import Annotated, Any

import typer

from cender.cli.options import Json, Sets

SIMULATED_VOLUMES = 60


def suggest(
    points: Annotated[
        str,
        typer.Argument(
            metavar="POINTS",
            help="Truth folder, points.csv, or .npz with volume, xyz_um and identity; or a simulator preset.",
        ),
    ] = "typical",
    annotate: Annotated[int, typer.Option(min=1, help="Volumes to annotate.")] = 5,
    draws: Annotated[int, typer.Option(min=1, help="Random choices to compare with.")] = 3,
    repeats: Annotated[int, typer.Option(min=1, help="Simulated animals, or trainings of a file's recording.")] = 1,
    at_most: Annotated[int, typer.Option("--test", min=1, help="Volumes to test on, spread evenly.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Of everything random.")] = 0,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Learn from suggested, evenly spaced and randomly drawn volumes, and compare what is recognized in the others."""
    from cender.bench.identity.data import is_preset, open_subjects
    from cender.bench.identity.methods import make_learner
    from cender.bench.suggest import Plan, measure_choices
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import print_json, show_progress
    from cender.config import load_config

    simulated = is_preset(points)
    first = [f"simulate.preset={points}", f"simulate.volumes={SIMULATED_VOLUMES}"] if simulated else []
    config = load_config(None, [*first, *(sets or [])])
    subjects = open_subjects(points, config, repeats, seed)
    with show_progress() as bar:
        task = bar.add_task("learning", total=len(subjects) * (3 + draws))
        plan = Plan(annotate, draws, at_most, seed)
        learn = make_learner("default", config)
        figures = measure_choices(subjects, learn, plan, lambda: bar.advance(task)) | describe_machine()
    if json:
        print_json(figures)
    else:
        _print(figures)


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title=f"{figures['data']}: identities after annotating {figures['annotate']} volumes")
    table.add_column("chosen")
    table.add_column("accuracy", justify="right")
    table.add_column("spread", justify="right")
    for name, one in figures["choices"].items():
        spread = "–" if one["spread"] is None else f"{100 * one['spread']:.1f}"
        table.add_row(name, f"{100 * one['accuracy']:.1f} %", spread)
    STDOUT.print(table)
    STDOUT.print(
        f"suggested against random {100 * figures['gain_over_random']:+.1f}, against even "
        f"{100 * figures['gain_over_even']:+.1f} points; expected accuracy before {figures['expected_before']:.0%}, "
        f"forecast {figures['forecast']:.0%}",
        soft_wrap=True,
    )
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}, seed {figures['seed']}", soft_wrap=True)
