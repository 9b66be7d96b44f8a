"""``cender demo``: a small recording, and everything that can be done with it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

MARKER = ".cender-demo"
# Less than the default, so that learning takes no more than a minute.
LEARNING = ["train_recognizer.self_rounds=1", "train_recognizer.self_steps=120", "train_recognizer.self_volumes=24"]
SETTINGS = ["seed=9100", "volumes=24", "shape=[18, 640, 640]", "voxel_um=[1.5, 0.35, 0.35]"]


@dataclass(slots=True)
class Tour:
    """What the steps of the demo leave to each other, and what they made.

    The types of these things are named where they are used: a command line imports nothing heavy.
    """

    out: Path
    simulation: Any
    recording: Any = None
    truth: Any = None
    run: Any = None
    made: list[tuple[str, Path]] = field(default_factory=list)


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to put what the demo makes.")] = Path("cender-demo"),
) -> None:
    """Simulate a small recording, run it with no annotation at all, and end in a report and a comparison."""
    from cender.cli.console import STDERR
    from cender.config import load_config
    from cender.simulate import simulate_recording

    claim_folder(out)
    params = load_config(None, [f"simulate.{word}" for word in SETTINGS]).simulate
    tour = Tour(out, simulate_recording(params))
    steps = (simulate, look, run, report, draw_pictures, evaluate)
    for number, step in enumerate(steps, 1):
        STDERR.print(f"[bold]{number} of {len(steps)}[/] {step.__doc__}")
        step(tour)
    summarize(tour)


def claim_folder(out: Path) -> None:
    """Make the folder, or empty the one of an earlier demo; refuse any other."""
    import shutil

    from cender.errors import DataError

    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; name a folder with --out")
    if out.exists() and any(out.iterdir()) and not (out / MARKER).is_file():
        raise DataError(f"{out} is not empty and was not made by `cender demo`; name another folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    (out / MARKER).write_text("cender demo empties this folder when it runs again\n", encoding="utf-8")
    for path in out.iterdir():
        if path.name == MARKER:
            continue
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def simulate(tour: Tour) -> None:
    """Simulating a freely moving head, with the truth about every neuron"""
    from cender.cli.console import show_progress
    from cender.pipeline.learn.simulated import save_simulation

    with show_progress() as bar:
        task = bar.add_task("drawing volumes", total=len(tour.simulation.recording))
        worm = tour.out / "worm"
        saved = save_simulation(tour.simulation, worm, on_volume=lambda _: bar.advance(task))
    tour.made += [("recording", path) for path in saved.recordings]
    tour.made.append(("its truth", saved.truth))


def look(tour: Tour) -> None:
    """Opening the recording as anybody's file"""
    from cender.cli.console import STDERR
    from cender.io import load_truth, open_recording

    path = tour.made[0][1]
    tour.recording = open_recording(path)
    tour.truth = load_truth(tour.out / "worm" / "truth")
    volumes, channels, frames, rows, columns = tour.recording.shape
    STDERR.print(
        f"  {path.name}: {tour.recording.format}, {volumes} volumes of {frames} × {rows} × {columns}, {channels} "
        f"channels ({', '.join(tour.recording.roles or ())}), {tour.recording.rate_hz:g} volumes/s, voxel "
        f"{' × '.join(f'{side:g}' for side in tour.recording.scale)} µm"
    )


def run(tour: Tour) -> None:
    """Finding head, neurons, identities and activity, with no annotation at all: `cender run`"""
    from cender.cli.console import STDERR
    from cender.cli.run import Display
    from cender.config import load_config
    from cender.pipeline.run import run_recording

    with Display() as display:
        tour.run = run_recording(
            tour.made[0][1], tour.out / "run", load_config(None, LEARNING), on_progress=display.show
        )
    tour.made.append(("run folder: neurons, identities, traces", tour.run.path))
    summary = tour.run.summary
    STDERR.print(
        f"  {summary.ok} volumes ok, {summary.flagged} flagged, {summary.failed} failed; {summary.neurons_median:.0f} "
        f"neurons in a volume, {summary.identities} identities"
    )
    if summary.trust:
        STDERR.print(summary.trust, soft_wrap=True, markup=False)
    for line in summary.advice:
        STDERR.print(f"  {line}", markup=False, soft_wrap=True)


def report(tour: Tour) -> None:
    """Writing the page of the run: `cender report`"""
    from cender.report import write_report

    tour.made.append(("report", write_report(tour.out / "run")))


def draw_pictures(tour: Tour) -> None:
    """Drawing what was simulated"""
    from cender.plots.simulator import draw_activity, draw_frames, draw_motion, draw_projections
    from cender.plots.style import save_figure

    middle = len(tour.recording) // 2
    volume = tour.recording.volume(middle)
    pictures = {
        "projections": draw_projections(volume),
        "frames": draw_frames(volume, tour.truth.annotations[middle]),
        "activity": draw_activity(tour.truth),
        "motion": draw_motion(tour.truth),
    }
    for name, figure in pictures.items():
        path = tour.out / "pictures" / f"{name}.png"
        save_figure(figure, path)
        tour.made.append((f"picture: {name}", path))


def evaluate(tour: Tour) -> None:
    """Comparing what was found with the truth"""
    from cender.cli.console import STDOUT
    from cender.cli.evaluation_tables import print_result
    from cender.evaluate import evaluate_recording
    from cender.io import load_run

    # Nothing was annotated, so the numbers of the run are its own.
    print_result(evaluate_recording(load_run(tour.out / "run"), tour.truth, rename=True), STDOUT)


def summarize(tour: Tour) -> None:
    """Print what was made."""
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(title="What the demo made", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    for label, path in tour.made:
        table.add_row(label, str(path))
    STDOUT.print(table)
    run = tour.out / "run"
    STDOUT.print(f"look at it, and correct it, in the browser: cender annotate {run}", markup=False, soft_wrap=True)
