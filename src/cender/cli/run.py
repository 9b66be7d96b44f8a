"""``cender run``: from a recording to a folder with the activity of every neuron."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cender.cli.interrupts import INTERRUPTS, STOPPED
from cender.cli.options import ConfigFile, Json, Sets

if TYPE_CHECKING:
    from cender.config import Config
    from cender.pipeline.plan.decide import Plan
    from cender.pipeline.plan.progress import Progress
    from cender.pipeline.plan.work import Work
    from cender.pipeline.run import Run


def run(
    recording: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORDING",
            help="Recording (several of one animal are joined), or a run folder.",
            show_default=False,
        ),
    ],
    out: Annotated[Path | None, typer.Option(metavar="WORM", help="Run folder to make or to go on with.")] = None,
    workers: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Volumes to work on at a time (0: one per core, at most four), or a Dask scheduler (tcp://…:8786).",
        ),
    ] = "0",
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", hidden=True, help="The same as --workers ADDRESS.")
    ] = None,
    volumes: Annotated[str | None, typer.Option(metavar="A:B", help="Only these volumes, B not included.")] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            metavar="WORM2", help="Annotated or trained folder of another animal, whose identities are carried over."
        ),
    ] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done, and what it takes.")] = False,
    as_json: Json = False,
) -> None:
    """Find head, neurons, identities and activity in every volume of RECORDING, and keep it all in a folder.

    `cender run WORM` goes on with a folder and redoes only what its inputs changed. It can be stopped or killed at any
    moment, and run again.
    """
    from cender.cli.console import STDERR
    from cender.config import load_config
    from cender.pipeline.plan.work import is_run_folder, load_values, settle_work

    count, address = read_workers(workers, scheduler)
    folder = recording[0] if out is None and is_run_folder(recording[0]) else out
    words = [*(sets or []), *([] if volumes is None else [f"run.volumes='{volumes}'"])]
    base = {} if folder is None else load_values(folder)
    config = load_config(config_file, words, base)
    # A recording that lacks a setting is refused here, before anything heavy is loaded.
    work = settle_work(recording, out, config)
    if kept := list_kept(base, config):
        STDERR.print(f"settings kept from the earlier run: {', '.join(kept)}", markup=False, soft_wrap=True)

    from cender.pipeline.plan.decide import make_plan
    from cender.pipeline.run import run_work

    if template is not None:
        work = replace(work, config=_settle_template(template, config, teach=not dry_run))
    if dry_run:
        show = _print_plan_json if as_json else _print_plan
        show(work, make_plan(work), count)
        return
    try:
        with Display() as display:
            done = run_work(work, count, address, display.show)
    except KeyboardInterrupt:
        STDERR.print("stopped: what is finished is kept, and the same command goes on from there")
        raise typer.Exit(STOPPED) from None
    _print_summary(done)
    if as_json:
        _print_json(done)
    else:
        typer.echo(done.path)


def _settle_template(folder: Path, config: "Config", *, teach: bool) -> "Config":
    """The settings with the recognizer of another animal's folder; one that is only annotated is trained first."""
    from cender.cli.console import STDERR, show_progress
    from cender.pipeline.learn.teach import train_recognizer
    from cender.pipeline.recording.template import choose_template, needs_training

    if needs_training(folder):
        if not teach:
            STDERR.print(f"template {folder}: annotated but not trained yet; a run trains its recognizer first")
            return config
        STDERR.print(f"template {folder}: annotated but not trained yet; training, as `cender train recognizer` would")
        with show_progress() as bar:
            task = bar.add_task("training")
            train_recognizer(
                folder,
                config=config,
                on_step=lambda done: bar.update(
                    task, completed=done.step, total=done.steps, description=f"template, {done.stage}"
                ),
            )
    return choose_template(folder, config)


def read_workers(words: str, scheduler: str | None = None) -> tuple[int, str | None]:
    """Number of volumes at a time and address of a Dask scheduler, which stands in the place of a number."""
    from cender.errors import ConfigError

    if words.isdigit():
        return int(words), scheduler
    if "://" not in words:
        raise ConfigError(
            f"--workers expects a number of volumes (0: one per core), or the address of a Dask scheduler such as "
            f"tcp://10.0.0.1:8786; found {words}"
        )
    return 0, words


def list_kept(base: dict[str, Any], config: "Config") -> list[str]:
    """Settings of an earlier run that differ from the defaults and still hold, as ``key=value``.

    Facts of the recording are left out.
    """
    from cender.config import build_config, find_changed

    before, now = find_changed(build_config(base)), find_changed(config)
    return [
        f"{name}={value}"
        for name, value in before.items()
        if name in now and now[name] == value and not name.startswith("recording.")
    ]


def _print_json(done: "Run") -> None:
    from dataclasses import asdict

    from cender.cli.console import print_json

    summary = done.summary
    found = {} if summary is None else {**asdict(summary), "mostly_unidentified": summary.mostly_unidentified}
    print_json({"folder": str(done.path), **found})


class Display:
    """Progress on standard error: volumes, rate, time left, volumes flagged."""

    def __init__(self) -> None:
        from cender.cli.console import show_progress

        self._bar = show_progress()
        self._first: Any = None
        self._task: Any = None
        self._second: Any = None
        self._gaps: Any = None

    def __enter__(self) -> "Display":
        self._progress = self._bar.__enter__()
        return self

    def __exit__(self, *words: Any) -> None:
        self._bar.__exit__(*words)

    def show(self, progress: "Progress") -> None:
        """Draw how far the run is, and stop where that was asked for."""
        INTERRUPTS.check()
        if progress.stage == "recording":
            if self._second is None:
                self._second = self._progress.add_task("identities and traces", total=None)
            self._progress.update(self._second, completed=progress.done, total=progress.total or None)
            return
        if progress.stage == "gaps":
            if self._gaps is None:
                self._gaps = self._progress.add_task("neurons that were missed", total=progress.total)
            self._progress.update(self._gaps, completed=progress.done + 1, total=progress.total)
            return
        if progress.stage == "cameras":
            if self._first is None:
                self._first = self._progress.add_task("how the cameras see")
            # The last one is told before it is looked at.
            self._progress.update(self._first, completed=progress.done + 1, total=progress.total)
            return
        if self._task is None:
            self._task = self._progress.add_task("volumes", total=progress.total)
        rate = f"{progress.volumes_per_s:.1f}/s" if progress.volumes_per_s > 0 else ""
        told = [rate, f"{progress.flagged} flagged" if progress.flagged else ""]
        told.append(f"{progress.failed} failed" if progress.failed else "")
        words = ", ".join(word for word in told if word)
        self._progress.update(
            self._task, completed=progress.done, description=f"volumes ({words})" if words else "volumes"
        )


def _print_summary(done: "Run") -> None:
    from rich.markup import escape

    from cender.cli.console import STDERR, say_always
    from cender.types.words import say_count

    summary = done.summary
    if summary is None:
        return
    if not summary.redone:
        STDERR.print("nothing to do: everything is up to date")
    counts = f"{summary.ok} ok, {summary.flagged} flagged, {summary.failed} failed"
    neurons = say_count(round(summary.neurons_median), "neuron")
    median = "" if summary.volumes == 1 else " in a volume (median)"
    seen = f"{say_count(summary.volumes, 'volume')} ({counts}), {neurons}{median}"
    STDERR.print(f"{seen}, {say_count(summary.identities, 'identity')}, {_say_time(summary.seconds)}")
    if summary.trust:
        STDERR.print(summary.trust, soft_wrap=True, markup=False)
    if summary.mostly_unidentified:
        say_always(
            f"[bold red]not a result yet:[/] only {summary.identified_share:.0%} of the neurons have an identity, so "
            "that most of the activity is missing"
        )
    for line in summary.advice:
        STDERR.print(f"  {escape(line)}", soft_wrap=True)
    print_suggestions(done.path)
    STDERR.print(f"next: `cender report {escape(str(done.path))}` draws it", soft_wrap=True)


def print_suggestions(folder: Path) -> None:
    """Say which volumes to annotate next, and what that should gain, as `cender suggest` does."""
    from rich.markup import escape

    from cender.cli.console import STDERR
    from cender.io.results.advice import suggest_annotation

    for rank, one in enumerate(suggest_annotation(folder).volumes, 1):
        words = f"  {rank}. annotate volume {one.volume}: {escape(one.reason)}; gain about {one.gain:.1%}"
        STDERR.print(words, soft_wrap=True)
        STDERR.print(f"     cender annotate {escape(str(folder))} --volume {one.volume}", soft_wrap=True)


def _print_plan(work: "Work", plan: "Plan", workers: int) -> None:
    from rich.markup import escape

    from cender.cli.console import STDOUT
    from cender.pipeline.plan.estimate import estimate_run
    from cender.types.words import say_count

    STDOUT.print(
        f"{escape(str(work.path))}: {say_count(len(plan.chosen), 'volume')} of {escape(work.recording.source)}"
    )
    for reason in plan.reasons or ("nothing to do: everything is up to date",):
        STDOUT.print(f"  {escape(reason)}", soft_wrap=True)
    if not plan.reasons:
        return
    if not plan.todo:
        STDOUT.print("no image is touched: identities and traces are made from what was found before")
        return
    cost = estimate_run(work, plan, workers)
    if cost.disk_mb > 0.9 * cost.free_mb:
        free = f"{_say_size(cost.free_mb)} are free where {work.path} is"
        STDOUT.print(
            f"[bold red]too little room:[/] about {_say_size(cost.disk_mb)} will be written, but {escape(free)}",
            soft_wrap=True,
        )
    STDOUT.print(
        f"time about {_say_time(cost.seconds)} ({cost.volumes_per_s:.1f} volumes/s, measured on "
        f"{say_count(cost.measured, 'volume')}), memory about {cost.memory_mb:.0f} MB, disk about "
        f"{_say_size(cost.disk_mb)} of {_say_size(cost.free_mb)} free; identities and traces come on top",
        soft_wrap=True,
    )


def _print_plan_json(work: "Work", plan: "Plan", workers: int) -> None:
    from dataclasses import asdict

    from cender.cli.console import print_json
    from cender.pipeline.plan.estimate import estimate_run

    cost = asdict(estimate_run(work, plan, workers)) if plan.todo else None
    counts = {"volumes": len(plan.chosen), "todo": len(plan.todo)}
    print_json({"folder": str(work.path), **counts, "reasons": list(plan.reasons), "cost": cost})


def _say_size(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"


def _say_time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
