"""``cender train``: learn from annotated volumes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.interrupts import INTERRUPTS, STOPPED
from cender.cli.options import Command, ConfigFile, Group, Sets

train = typer.Typer(
    name="train",
    cls=Group,
    help="Learn from annotated volumes: corrected runs, truth folders, or what `cender simulate` makes.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@train.command(cls=Command)
def detector(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="FOLDER", help="Run folders that people corrected, or truth folders.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Weights to write.", show_default="FOLDER/models/detector.safetensors"),
    ] = None,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Start from nothing instead of the shipped weights.")
    ] = False,
    simulated: Annotated[
        int, typer.Option(min=0, help="Also learn from this many simulated animals, two postures each.")
    ] = 0,
    partial: Annotated[
        bool, typer.Option("--partial", help="Not every neuron is marked: unmarked places teach nothing.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    config_file: ConfigFile = None,
    sets: Sets = None,
) -> None:
    """Train the detector of neuronal regions from 1 to 30 annotated volumes, in minutes on a CPU.

    Starts from the shipped weights, so that few volumes are enough; of a run folder it learns what people drew, moved,
    added and removed. Simulated animals on a microscope like yours are learnt from besides (train.replay).
    Interrupt it with Ctrl-C whenever you like: the same command goes on where it stopped.
    """
    from cender.cli.console import STDERR, show_status
    from cender.config import load_config
    from cender.errors import DataError
    from cender.io import save_weights
    from cender.pipeline.learn.learning import collect_heads, learn_detector

    config = load_config(config_file, sets or [])
    if not folders and not simulated:
        raise DataError("expected at least one truth folder, or --simulated N; found neither")
    target = out or (folders[0] / "models" / "detector.safetensors" if folders and len(folders) == 1 else None)
    if target is None:
        raise DataError("several folders: say with --out where the weights should go")
    with show_status("reading annotated volumes"):
        heads = collect_heads(folders or [], config, simulated, partial, from_scratch, seed)
    checkpoint = target.with_suffix(".checkpoint")
    with _resumable(checkpoint) as check:
        neurons = sum(len(sample.centre) for sample in heads.samples)
        STDERR.print(f"{len(heads.samples)} annotated volumes, {neurons} neurons")
        weights, history = _watch(lambda on_step: learn_detector(heads, config, seed, target, on_step), check)
    save_weights(weights, target)
    checkpoint.unlink(missing_ok=True)
    picture = target.with_suffix(".png")
    _draw(history, picture)
    best = max(history, key=lambda row: row[4] + row[5])
    typer.echo(f"{target}\n{picture}")
    STDERR.print(f"validation on held-out heads: regions F1 {best[4]:.3f}, neurons F1 {best[5]:.3f}")


@train.command(cls=Command)
def recognizer(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER",
            help="Truth folders or annotated run folders; several are several animals.",
            exists=True,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Weights to write.", show_default="FOLDER/models/recognizer.safetensors"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    config_file: ConfigFile = None,
    sets: Sets = None,
) -> None:
    """Train the recognizer of identities from one annotated volume or many, in a minute or two on a CPU.

    Volumes of the same folders without annotations are learnt from as well. A number stands for the same neuron in
    all folders. Interrupt it with Ctrl-C whenever you like: the same command goes on where it stopped.
    """
    from cender.cli.console import STDERR
    from cender.config import load_config
    from cender.errors import DataError
    from cender.io import save_weights
    from cender.pipeline.learn.lessons import collect_lessons
    from cender.pipeline.recording.recognizer.learn import train_weights
    from cender.types.words import say_count

    config = load_config(config_file, sets or [])
    target = out or (folders[0] / "models" / "recognizer.safetensors" if len(folders) == 1 else None)
    if target is None:
        raise DataError("several folders: say with --out where the weights should go")
    lessons = collect_lessons(folders)
    checkpoint = target.with_suffix(".checkpoint")
    with _resumable(checkpoint) as check:
        STDERR.print(
            f"{say_count(len(lessons.annotated), 'annotated volume')}, {len(lessons.recording)} more to learn from"
        )
        weights, history = _watch_stages(
            lambda on_step: train_weights(lessons.annotated, lessons.recording, config, seed, on_step, checkpoint),
            check,
        )
    save_weights(weights, target)
    checkpoint.unlink(missing_ok=True)
    picture = target.with_suffix(".png")
    _draw_stages(history, picture)
    typer.echo(f"{target}\n{picture}")


@train.command("all", cls=Command)
def train_all(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A run folder that people corrected.", exists=True)],
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    config_file: ConfigFile = None,
    sets: Sets = None,
) -> None:
    """Train detector and recognizer from what people did in a run folder; its next run uses both.

    The detector learns from boxes, clicks and removals, the recognizer from identities; where people gave none, it is
    left as it is.
    """
    from cender.cli.console import STDERR
    from cender.errors import DataError
    from cender.pipeline.learn.lessons import collect_lessons

    detector([folder], seed=seed, config_file=config_file, sets=sets)
    try:
        collect_lessons([folder])
    except DataError as error:
        STDERR.print(f"the recognizer stays as it is: {error}")
        return
    recognizer([folder], seed=seed, config_file=config_file, sets=sets)


@train.command(cls=Command)
def namer(
    tables: Annotated[
        list[Path],
        typer.Argument(metavar="ANIMALS", help="CSV tables or truth folders: z_um, y_um, x_um, name, colour0 …."),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Weights to write.")] = Path("namer.safetensors"),
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    config_file: ConfigFile = None,
    sets: Sets = None,
) -> None:
    """Train the namer of cells from animals that people named, of any number of labs, in minutes on a CPU."""
    from json import loads

    from cender.cli.console import STDERR, show_progress
    from cender.config import load_config
    from cender.io import save_weights
    from cender.io.cells import load_cells
    from cender.training.namer.pack import drop_doubted
    from cender.training.namer.train import train_namer

    config = load_config(config_file, sets or [])
    animals = load_cells(tables)
    STDERR.print(f"{len(animals)} animals, {sum(bool(one) for cells in animals for one in cells.name)} named neurons")
    with show_progress() as bar:
        task = bar.add_task("training")

        def on_step(step: int, steps: int, loss: float) -> None:
            bar.update(task, completed=step, total=steps, description=f"training: loss {loss:.2f}")

        weights = drop_doubted(train_namer(animals, config.train_namer, seed, on_step))
    save_weights(weights, out)
    typer.echo(str(out))
    right = loads(weights.metadata["held_back_top1"])
    STDERR.print(f"names right in animals held back: {100 * right['position']:.0f} % by position alone", end="")
    STDERR.print(f", {100 * right['colour']:.0f} % with colours" if "colour" in right else "; no animal has colours")


@contextmanager
def _resumable(checkpoint: Path) -> Iterator[Callable[[], None]]:
    """Let an interrupt wait for the end of a step (gives what to call there); say what is kept, exit as shells do."""
    from cender.cli.console import STDERR

    try:
        with INTERRUPTS.waiting() as check:
            yield check
    except KeyboardInterrupt:
        kept = "the same command goes on from there" if checkpoint.exists() else "too early for anything to be kept"
        STDERR.print(f"stopped: {kept}")
        raise typer.Exit(STOPPED) from None


def _watch_stages(learn: Any, check: Callable[[], None]) -> Any:
    """Run training under a progress bar that shows stage and loss; returns its result and the losses by stage."""
    from cender.cli.console import show_progress

    history: list[tuple[str, float]] = []
    with show_progress() as bar:
        task = bar.add_task("training")

        def on_step(progress: Any) -> None:
            history.append((progress.stage, progress.loss))
            words = f"{progress.stage}: loss {progress.loss:.2f}"
            bar.update(task, completed=progress.step, total=progress.steps, description=words)
            check()

        return learn(on_step), history


def _draw_stages(history: list[tuple[str, float]], path: Path) -> None:
    from cender.plots.training import draw_recognizer_training

    draw_recognizer_training(history, path)


def _watch(learn: Any, check: Callable[[], None]) -> Any:
    """Run training under a progress bar that shows the losses and the last validation."""
    from cender.cli.console import show_progress

    with show_progress() as bar:
        task = bar.add_task("training")
        last = ""

        def on_step(progress: Any) -> None:
            nonlocal last
            if progress.checked:
                last = f", F1 {progress.checked[0]:.3f} / {progress.checked[1]:.3f}"
            words = f"training: loss {sum(progress.losses):.2f}{last}"
            bar.update(task, completed=progress.step, total=progress.steps, description=words)
            check()

        return learn(on_step)


def _draw(history: list[list[float]], path: Path) -> None:
    from cender.plots.training import draw_training

    draw_training(history, path)
