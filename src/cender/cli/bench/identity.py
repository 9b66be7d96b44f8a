"""``cender bench identity``: how well neurons are recognized."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cender.cli.options import Json, Sets

if TYPE_CHECKING:
    from cender.bench.identity.measure import Measurement

# An animal's 40 s at 5 volumes a second: a fifth of it holds 40 volumes, and 20 s lie more than 5 s away.
SIMULATED_VOLUMES = 200


def identity(
    points: Annotated[
        str,
        typer.Argument(
            metavar="POINTS",
            help="Truth folder, points.csv, or .npz with volume, xyz_um and identity; or a preset. Two animals: A,B; "
            "B may be a table of named heads.",
        ),
    ],
    train: Annotated[list[int], typer.Option(min=0, help="Annotated volumes to learn from (may be given again).")],
    split: Annotated[
        list[str] | None,
        typer.Option(
            help="random, blocked, animals: learn from one, use on another; template: the same, none annotated there."
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Trainings, each on another draw (or simulated animal).")] = 3,
    method: Annotated[list[str] | None, typer.Option(help="default or paper (may be given again).")] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="HZ", help="Volumes per second, where the data has no times.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything random.")] = 0,
    images: Annotated[
        bool, typer.Option("--images", help="Find the neurons first, in images of a simulated animal or of an .npz.")
    ] = False,
    drop: Annotated[float, typer.Option(min=0, max=0.95, help="Share of the neurons to remove at random.")] = 0.0,
    spurious: Annotated[
        float, typer.Option(min=0, max=2, help="Share of the neurons that get a spurious one within 3 µm.")
    ] = 0.0,
    jitter: Annotated[float, typer.Option(min=0, metavar="UM", help="Noise to add to every coordinate.")] = 0.0,
    volumes: Annotated[
        str | None, typer.Option(metavar="A:B[:STEP]", help="Only volumes with these numbers, B not included.")
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw the results, as PNG; of corrupted points also at half and at none."),
    ] = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Learn from a few annotated volumes and recognize the neurons of the others; beside it, the published figures."""
    from cender.bench.identity.corruption import Corruption
    from cender.bench.identity.data import is_preset
    from cender.bench.identity.levels import draw_levels, measure_levels
    from cender.bench.identity.plan import Plan, choose_splits, draw_plan, open_cast, run_plan
    from cender.cli.bench.machine import describe_machine
    from cender.cli.console import print_json, show_progress
    from cender.config import load_config
    from cender.errors import ConfigError

    simulated = is_preset(points)
    if images and not simulated and not points.endswith(".npz"):
        raise ConfigError(
            "--images needs a preset of the simulator (easy, typical or hard) or an .npz file with volumes and "
            f"points_xyz, found {points}"
        )
    first = [f"simulate.preset={points}", f"simulate.volumes={SIMULATED_VOLUMES}"] if simulated else []
    config = load_config(None, [*first, *(sets or [])])
    splits = choose_splits(split or ["random"], method or ["default"], simulated, "," in points)
    plan = Plan(
        points,
        tuple(train),
        *splits,
        repeats=repeats,
        seed=seed,
        images=images,
        rate_hz=rate,
        corruption=Corruption(drop, spurious, jitter),
        volumes=_parse_range(volumes),
    )
    degrees = 3 if pictures is not None and plan.corruption else 1
    with show_progress() as bar:
        task = bar.add_task("simulating" if simulated else "reading", total=degrees * plan.count_trainings())

        def tell(label: str) -> None:
            bar.update(task, advance=1, description=label)

        cast = open_cast(plan, config)
        total = degrees * plan.count_trainings(cast.heads)
        bar.update(task, description="learning and recognizing", total=total)
        done = run_plan(plan, config, cast, tell)
        levels = measure_levels(plan, config, done, tell) if degrees > 1 else []
    drawn = [] if pictures is None else draw_plan(plan, config, cast, done, pictures)
    if pictures is not None and levels:
        drawn.append(draw_levels(levels, pictures))
    figures = describe_run(done, describe_machine(), drawn)
    if levels:
        figures["levels"] = [level.as_json() for level in levels]
    if plan.corruption:
        figures["corruption"] = {"drop": drop, "spurious": spurious, "jitter_um": jitter, "text": str(plan.corruption)}
    if json:
        print_json(figures)
    else:
        _print(done, figures)


def _parse_range(text: str | None) -> slice | None:
    from cender.errors import ConfigError

    if text is None:
        return None
    try:
        parts = [int(part) if part else None for part in text.split(":")]
    except ValueError:
        parts = []
    if len(parts) not in (2, 3) or (len(parts) == 3 and parts[2] is not None and parts[2] < 1):
        raise ConfigError(f"--volumes expects A:B or A:B:STEP in numbers of volumes, e.g. 0:100; found {text}")
    return slice(*parts)


def describe_run(done: "list[Measurement]", machine: dict[str, str], pictures: list[Path]) -> dict[str, Any]:
    """The figures as one object; of a single measurement at its top, of several in ``results``."""
    from cender.bench.paper.published import list_published

    results = [one.as_json() for one in done]
    published = [
        {"label": label, "train": count, "accuracy": accuracy}
        for label, count, accuracy in list_published(done[0].data)
    ]
    top = results[0] if len(results) == 1 else {"results": results, "data": done[0].data, "seed": done[0].seed}
    return {**top, "published": published, "pictures": [str(path) for path in pictures], **machine}


def _print(done: "list[Measurement]", figures: dict[str, Any]) -> None:
    from rich.table import Table

    from cender.cli.console import STDOUT
    from cender.types.words import say_count

    one = done[0]
    hashed = f" ({one.preset_hash})" if one.preset_hash and one.preset_hash not in one.data else ""
    corrupted = f", {figures['corruption']['text']}" if "corruption" in figures else ""
    table = Table(
        title=f"{one.data}{hashed}{corrupted}, seed {one.seed}: mean ± sd of {len(one.repeats)} trainings",
        caption="n: annotated volumes. accuracy: percent of the neurons whose identity occurs in training; all: of all "
        "that have one; worst: of the worst 5 % of volumes; kept: the same number in two volumes that show a neuron; "
        "recall: rightly identified while 95 % of the identities are right; ECE: calibration error; expected: accuracy "
        "by the recording's own self-check, with its range; ms: for recognizing a volume.",
    )
    columns = ("method", "split", "n", "accuracy", "all", "worst", "kept", "recall", "ECE", "expected", "learn s", "ms")
    for column in columns:
        table.add_column(column, justify="left" if column in ("method", "split") else "right")
    for measured in done:
        table.add_row(measured.method, measured.split, str(measured.train), *_row(measured))
    STDOUT.print(table)
    for point in figures["published"]:
        volumes = say_count(point["train"], "volume")
        STDOUT.print(f"{point['label']}: {100 * point['accuracy']:.2f} % with {volumes}")
    for path in figures["pictures"]:
        STDOUT.print(f"drawn: {path}")
    STDOUT.print(f"{figures['machine']}, cender {figures['version']}")


def _row(measured: "Measurement") -> list[str]:
    def show(name: str, factor: float, digits: int) -> str:
        mean, spread = measured.average(name), measured.spread(name)
        if mean is None:
            return "–"
        around = "" if spread is None else f"\n± {factor * spread:.{digits}f}"
        return f"{factor * mean:.{digits}f}{around}"

    shares = ("accuracy", "accuracy_all", "worst_5pct", "kept", "recall_at_95_strict")
    low, high = (show(name, 100.0, 0).splitlines()[0] for name in ("expected_low", "expected_high"))
    expected = show("expected_accuracy", 100.0, 0)
    honest = [show("calibration_error", 1.0, 3), expected if low == "–" else f"{expected}\n{low} to {high}"]
    costs = [*honest, show("train_s", 1.0, 0), show("ms_per_volume", 1.0, 0)]
    return [*(show(name, 100.0, 1) for name in shares), *costs]
