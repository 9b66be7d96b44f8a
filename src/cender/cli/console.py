"""Where the command line speaks: results on standard output, everything else on standard error."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

FILE_WIDTH = 160
"""Letters of a line where results go into a file or another program, which have no width of their own."""
STDERR = Console(stderr=True)
STDOUT = Console()
if not STDOUT.is_terminal and "COLUMNS" not in os.environ:
    STDOUT.width = FILE_WIDTH
Item = TypeVar("Item")


def say_always(text: str) -> None:
    """Print on standard error what must be read even where everything else is quiet."""
    quiet, STDERR.quiet = STDERR.quiet, False
    STDERR.print(text, soft_wrap=True)
    STDERR.quiet = quiet


def track(items: Iterable[Item], label: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items under a progress bar on standard error."""
    with show_progress() as bar:
        yield from bar.track(items, description=label, total=total)


@contextmanager
def show_progress() -> Iterator[Progress]:
    """A progress bar on standard error with counts, time gone and time left."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=STDERR) as bar:
        yield bar


@contextmanager
def show_status(words: str) -> Iterator[None]:
    """Say on standard error what is going on while it does."""
    with STDERR.status(words):
        yield


def print_json(value: Any) -> None:
    """One JSON object on standard output and nothing else there."""
    typer.echo(json.dumps(value, allow_nan=False, default=str))
