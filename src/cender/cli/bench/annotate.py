"""``cender bench annotate``: what annotating costs, and whether anything gets lost."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import Json, Sets

PEOPLE = 4
"""People who edit at the same time."""
ALONE = 300
"""Messages of one person whose waiting time is measured."""
REQUESTS = 200
"""Requests of each kind whose waiting time is measured."""
CORRECTIONS = 30
"""Corrections after which the time to new identities is measured."""
LOGGED = 100_000
"""Edits of a log with which the run is opened once more."""
CORRECTED_EACH = 2
"""Volumes that are corrected in each round."""


def annotate(
    edits: Annotated[int, typer.Option(min=1, help="Edits that each of 4 people makes at the same time.")] = 1000,
    opened: Annotated[int, typer.Option("--open", min=2, help="Volumes of the run that is opened.")] = 3000,
    volumes: Annotated[
        int, typer.Option(min=0, help="Volumes in which neurons are found and corrected; 0 leaves that out.")
    ] = 24,
    rounds: Annotated[int, typer.Option(min=0, help="Trainings after further corrected volumes.")] = 3,
    rows: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where finished parts are kept and found again.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything random.")] = 0,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Count lost edits of people who work at once, waiting times of the page, and actions that a correction takes.

    The animal is simulated (``--set simulate.preset=hard`` for another one).
    """
    from cender.bench.paper.items import Item, measure_items
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import STDERR, print_json
    from cender.config import load_config

    config, machine = load_config(None, sets or []), describe_machine()
    inputs: dict[str, Any] = {"open": opened, "edits": edits, "alone": ALONE, "seed": seed}
    inputs["animal"] = config.simulate.model_dump(mode="json")
    page = Item("page", lambda: _measure_page(config, opened, edits, seed), inputs | machine)
    (measured,) = measure_items([page], rows, machine, lambda done: STDERR.print("the page is measured")).values()
    figures: dict[str, Any] = {"preset": config.simulate.preset, "seed": seed, **measured.figures}
    if volumes:
        figures["effort"] = _measure_effort(config, volumes, rounds, seed, rows)
    figures |= machine
    if json:
        print_json(figures)
    else:
        _print(figures)


def _measure_page(config: Any, opened: int, edits: int, seed: int) -> dict[str, Any]:
    """Opening, waiting, four people at once, names after a correction, on a run folder of so many volumes."""
    import tempfile

    from cender.bench.annotate.company import measure_company
    from cender.bench.annotate.correcting import measure_correcting
    from cender.bench.annotate.folders import make_folder
    from cender.bench.annotate.long_log import measure_long_log
    from cender.bench.annotate.waiting import measure_latency, measure_opening
    from cender.bench.identity.data import number_animal
    from cender.cli.console import STDERR

    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="cender-", ignore_cleanup_errors=True) as home:
        STDERR.print(f"making a run of {opened} volumes")
        worm = make_folder(Path(home), number_animal(config, seed), opened).path
        figures["opening"] = measure_opening(worm)
        figures["latency"] = measure_latency(worm, REQUESTS, seed)
        STDERR.print(f"one person makes {ALONE} edits, then {PEOPLE} people make {edits} each")
        figures["alone"] = measure_company(worm, 1, ALONE, seed)
        figures["company"] = measure_company(worm, PEOPLE, edits, seed)
        STDERR.print("names after a correction")
        figures["correcting"] = measure_correcting(worm, config, CORRECTIONS, seed)
        STDERR.print(f"opening it with {LOGGED} edits")
        figures["long_log"] = measure_long_log(worm, LOGGED, seed)
    return figures


def _measure_effort(config: Any, volumes: int, rounds: int, seed: int, rows: Path | None) -> list[dict[str, Any]]:
    from cender.bench.annotate.actions import EffortPlan, measure_effort
    from cender.bench.identity.data import detect_subject, number_animal
    from cender.bench.identity.methods import make_learner
    from cender.bench.paper.identity_rows import describe_recognition
    from cender.bench.paper.inputs import hash_settings
    from cender.cli.console import show_progress
    from cender.pipeline.plan.inputs import find_models

    animal = number_animal(config, seed).model_copy(update={"volumes": volumes})
    config = config.model_copy(update={"simulate": animal})
    found = find_models(config.detect) | hash_settings(config, ("preprocess", "detect", "merge", "activity"))
    inputs = {**describe_recognition(config, "default", simulated=True), "found": found}
    plan = EffortPlan(rounds, CORRECTED_EACH, seed, inputs)
    with show_progress() as bar:
        finding = bar.add_task("finding neurons", total=volumes)
        subject = detect_subject(animal, config, lambda _: bar.advance(finding))
        learning = bar.add_task("correcting and training", total=rounds + 1)
        return measure_effort(subject, make_learner("default", config), plan, rows, lambda done: bar.advance(learning))


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT

    company, alone, opening, latency = (figures[part] for part in ("company", "alone", "opening", "latency"))
    table = Table(title=f"{figures['preset']}: the annotation page")
    table.add_column("")
    table.add_column("", justify="right")
    table.add_column("of one core", justify="right")
    table.add_row(
        f"edits lost, of {company['acknowledged']} by {company['people']} people at once", str(company["lost"])
    )
    table.add_row("edits made twice", str(company["doubled"]))
    table.add_row("an edit on disk, p50 / p95", _say_ms(alone["edit_ms"]), f"{alone['edit_core_ms']:.1f} ms")
    table.add_row(
        f"the same, {company['people']} people without a pause",
        _say_ms(company["edit_ms"]),
        f"{company['edit_core_ms']:.1f} ms",
    )
    table.add_row(
        f"opening a run of {opening['volumes']} volumes",
        f"{opening['open_s']:.2f} s",
        f"{opening['open_core_s']:.2f} s",
    )
    table.add_row("its queue", f"{opening['queue_s']:.2f} s")
    table.add_row("its first reference", f"{opening['reference_s']:.2f} s")
    table.add_row(
        "pictures of a volume read anew, p50 / p95",
        _say_ms(latency["frames_read_ms"]),
        _say_ms(latency["frames_read_core_ms"]),
    )
    table.add_row(
        "pictures of a volume held in memory, p50 / p95",
        _say_ms(latency["frames_held_ms"]),
        _say_ms(latency["frames_held_core_ms"]),
    )
    table.add_row("neurons of a volume, p50 / p95", _say_ms(latency["neurons_ms"]), _say_ms(latency["neurons_core_ms"]))
    long_log = figures["long_log"]
    table.add_row(
        f"opening it with {long_log['edits']:,} edits",
        f"{long_log['open_s']:.2f} s",
        f"{long_log['open_core_s']:.2f} s",
    )
    table.add_row(
        "the next volume after one more",
        f"{1e3 * long_log['next_s']:.0f} ms",
        f"{1e3 * long_log['next_core_s']:.0f} ms",
    )
    table.add_row("the queue after it", f"{long_log['queue_again_s']:.2f} s", f"{long_log['queue_again_core_s']:.2f} s")
    correcting = figures["correcting"]
    table.add_row("a corrected volume named again, p50 / p95", _say_ms(correcting["own_ms"]))
    table.add_row("a volume that hears of it, p50 / p95", _say_ms(correcting["hearing_ms"]))
    for one in figures.get("effort", ()):
        label = f"actions to correct, of drawing all: {one['annotated']} volumes annotated"
        table.add_row(label, f"{100 * one['share']:.1f} % (all volumes {100 * one['share_of_all_volumes']:.1f} %)")
    STDOUT.print(table)
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}, seed {figures['seed']}")


def _say_ms(spent: dict[str, float]) -> str:
    return f"{spent['p50']:.1f} / {spent['p95']:.1f} ms"
