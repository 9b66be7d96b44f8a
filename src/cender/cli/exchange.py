"""``cender import`` and ``cender export``: annotations from and to other files."""

from pathlib import Path
from typing import Annotated

import typer

Worm = Annotated[Path, typer.Argument(metavar="WORM", help="A run folder.")]
Format = Annotated[
    str | None, typer.Option("--format", help="Name of the format; taken from the file where it is not given.")
]


def import_(
    worm: Worm,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="points.csv, regions.csv, a truth folder, ...")],
    format: Format = None,
    author: Annotated[str, typer.Option("--author", help="Who made it; your login name where it is not given.")] = "",
) -> None:
    """Take annotations from a file into a run folder: all or nothing, as one edit that can be undone."""
    from cender.cli.console import STDERR
    from cender.io.exchange.doors import import_file

    moved = import_file(worm, file, author or find_author(), format)
    STDERR.print(
        f"imported {moved.neurons} neurons with {moved.identities} identities in {moved.volumes} volumes "
        f"({moved.format}); `cender run {worm}` uses them",
        markup=False,
        soft_wrap=True,
    )


def export(
    worm: Worm,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to write: a file, or a folder for truth.")],
    format: Format = None,
    human: Annotated[bool, typer.Option("--human", help="Only what people said, not the machine's results.")] = False,
) -> None:
    """Write what is known of a recording, people's work over the machine's, into a file of another format."""
    from cender.cli.console import STDERR
    from cender.io.exchange.doors import export_file

    moved = export_file(worm, file, format, human)
    STDERR.print(
        f"wrote {moved.neurons} neurons with {moved.identities} identities in {moved.volumes} volumes to {file} "
        f"({moved.format}; not in it: {moved.lost})",
        markup=False,
        soft_wrap=True,
    )


def find_author() -> str:
    """The login name, or a word where there is none."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "somebody"
