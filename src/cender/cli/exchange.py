"""``cender import`` and ``cender export``: annotations from and to other files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cender.cli.options import ConfigFile, Json, Sets

if TYPE_CHECKING:
    from cender.io.exchange.doors import Moved

Worm = Annotated[Path, typer.Argument(metavar="WORM", help="A run folder.")]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="Name of the format; taken from FILE where it is not given."),
]


def import_(
    worm: Worm,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="NWB, ZephIR, TrackMate, GEFF, points as CSV or NPZ, a truth folder, ..."),
    ],
    format: Format = None,
    recording: Annotated[
        Path | None, typer.Option("--recording", metavar="FILE", help="The recording, where WORM is still to be made.")
    ] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
    author: Annotated[str, typer.Option("--author", help="Who made it; your login name where it is not given.")] = "",
    conflict: Annotated[
        Literal["refuse", "replace", "keep"],
        typer.Option("--conflict", help="Where people have said something else in WORM: refuse, replace it, keep it."),
    ] = "refuse",
    places: Annotated[
        str | None,
        typer.Option(
            "--places", metavar="ORDER,UNIT", help="Of points in a file that does not say it: xyz,px or zyx,um."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take annotations from a file into a run folder: all or nothing, as one edit that can be undone.

    All formats, with what each keeps and loses: docs/exchange.md.
    """
    from shutil import rmtree

    from cender.cli.console import STDERR
    from cender.errors import CenderError, DataError
    from cender.io.exchange.doors import import_file

    fresh = not worm.exists()
    if recording is not None:
        _make_folder(worm, recording, config_file, sets or [])
    elif fresh:
        raise DataError(
            f"{worm}: there is no such run folder; make it with --recording RECORDING, the images that {file} was made "
            f"from, or with `cender run RECORDING --out {worm}`"
        )
    try:
        moved = import_file(worm, file, author or find_author(), format, conflict, places)
    except CenderError:
        # A folder that was made for a file that is refused holds nothing.
        if fresh:
            rmtree(worm)
        raise
    if as_json:
        _print_moved(moved)
        return
    counts = _say_moved(moved)
    said = (
        f"imported {counts} ({moved.format}); `cender run {worm}` uses them"
        if moved.changed
        else f"nothing new: the {counts} of {file} are in {worm} already"
    )
    STDERR.print(said + _say_lost("not taken from it", moved.lost), markup=False, soft_wrap=True)
    _warn(moved.doubts)


def export(
    worm: Worm,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to write; its name says the format.")],
    format: Format = None,
    human: Annotated[bool, typer.Option("--human", help="Only what people said, not the machine's results.")] = False,
    images: Annotated[bool, typer.Option("--images", help="The recording too, in formats that can hold it.")] = False,
    subject: Annotated[
        Path | None, typer.Option("--subject", metavar="FILE", help="TOML with a section subject, kept in run.toml.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there already.")] = False,
    as_json: Json = False,
) -> None:
    """Write what is known of a recording, people's work over the machine's, into a file of another format.

    The name of FILE says which: worm.nwb, annotations.h5 (ZephIR), worm.xml (TrackMate), worm.geff, napari.csv,
    traces.csv (.parquet, .h5, .mat), points.csv, regions.csv, a folder for truth; for others give --format.

    What each keeps and loses: docs/exchange.md.
    """
    from cender.cli.console import STDERR
    from cender.io.exchange.doors import export_file
    from cender.io.results.folder.subject import keep_subject

    if subject is not None:
        keep_subject(worm, subject)
    moved = export_file(worm, file, format, human, images, overwrite)
    if as_json:
        _print_moved(moved)
        return
    STDERR.print(
        f"wrote {_say_moved(moved)} to {file} ({moved.format})" + _say_lost("not in it", moved.lost),
        markup=False,
        soft_wrap=True,
    )
    _warn(moved.doubts)


def _make_folder(worm: Path, recording: Path, config_file: Path | None, sets: list[str]) -> None:
    """Make a run folder of a recording that has not been run yet; one that is there must be of the same recording."""
    from cender.config import load_config
    from cender.io import create_run
    from cender.pipeline.plan.work import describe_work, is_run_folder, settle_work

    work = settle_work(recording, worm, load_config(config_file, sets))
    if not is_run_folder(worm):
        create_run(worm, describe_work(work, {}))


def _say_moved(moved: "Moved") -> str:
    from cender.types.words import say_count

    neurons, identities = say_count(moved.neurons, "neuron"), say_count(moved.identities, "identity")
    return f"{neurons} with {identities} in {say_count(moved.volumes, 'volume')}"


def _print_moved(moved: "Moved") -> None:
    from dataclasses import asdict

    from cender.cli.console import print_json

    print_json(asdict(moved))


def _warn(doubts: tuple[str, ...]) -> None:
    from cender.cli.console import STDERR

    for doubt in doubts:
        STDERR.print(f"warning: {doubt}", markup=False, soft_wrap=True)


def _say_lost(words: str, lost: tuple[str, ...]) -> str:
    return f"; {words}: {', '.join(lost)}" if lost else ""


def find_author() -> str:
    """The login name, or a word where there is none."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "somebody"
