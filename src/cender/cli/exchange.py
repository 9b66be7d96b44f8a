"""``cender import`` and ``cender export``: annotations from and to other files."""

from pathlib import Path
from typing import Annotated

import typer

from cender.cli.options import Sets

Worm = Annotated[Path, typer.Argument(metavar="WORM", help="A run folder.")]
Format = Annotated[
    str | None, typer.Option("--format", help="Name of the format; taken from the file where it is not given.")
]


def import_(
    worm: Worm,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="points.csv, regions.csv, a truth folder, ...")],
    format: Format = None,
    recording: Annotated[
        Path | None, typer.Option("--recording", metavar="FILE", help="The recording, where WORM is still to be made.")
    ] = None,
    sets: Sets = None,
    author: Annotated[str, typer.Option("--author", help="Who made it; your login name where it is not given.")] = "",
) -> None:
    """Take annotations from a file into a run folder: all or nothing, as one edit that can be undone."""
    from cender.cli.console import STDERR
    from cender.io.exchange.doors import import_file

    if recording is not None:
        _make_folder(worm, recording, sets or [])
    moved = import_file(worm, file, author or find_author(), format)
    STDERR.print(
        f"imported {moved.neurons} neurons with {moved.identities} identities in {moved.volumes} volumes "
        f"({moved.format}); `cender run {worm}` uses them" + _say_lost("not taken from it", moved.lost),
        markup=False,
        soft_wrap=True,
    )


def export(
    worm: Worm,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to write: a file, or a folder for truth.")],
    format: Format = None,
    human: Annotated[bool, typer.Option("--human", help="Only what people said, not the machine's results.")] = False,
    images: Annotated[bool, typer.Option("--images", help="The recording too, in formats that can hold it.")] = False,
    subject: Annotated[
        Path | None, typer.Option("--subject", metavar="FILE", help="TOML with [subject], kept in run.toml.")
    ] = None,
) -> None:
    """Write what is known of a recording, people's work over the machine's, into a file of another format."""
    from cender.cli.console import STDERR
    from cender.io.exchange.doors import export_file
    from cender.io.results.folder.subject import keep_subject

    if subject is not None:
        keep_subject(worm, subject)
    moved = export_file(worm, file, format, human, images)
    STDERR.print(
        f"wrote {moved.neurons} neurons with {moved.identities} identities in {moved.volumes} volumes to {file} "
        f"({moved.format})" + _say_lost("not in it", moved.lost),
        markup=False,
        soft_wrap=True,
    )


def _make_folder(worm: Path, recording: Path, sets: list[str]) -> None:
    """Make a run folder of a recording that has not been run yet; one that is there must be of the same recording."""
    from cender.config import load_config
    from cender.io import create_run
    from cender.pipeline.plan.work import describe_work, is_run_folder, settle_work

    work = settle_work(recording, worm, load_config(None, sets))
    if not is_run_folder(worm):
        create_run(worm, describe_work(work, {}))


def _say_lost(words: str, lost: tuple[str, ...]) -> str:
    return f"; {words}: {', '.join(lost)}" if lost else ""


def find_author() -> str:
    """The login name, or a word where there is none."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "somebody"
