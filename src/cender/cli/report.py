"""``cender report``: the page of a run."""

from pathlib import Path
from typing import Annotated

import typer

from cender.cli.options import Json


def report(
    worm: Annotated[Path, typer.Argument(metavar="WORM", help="A run folder.")],
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    as_json: Json = False,
) -> None:
    """Write report.html and figures into a run folder: what was done, what came out, what to look at next."""
    from cender.cli.console import STDERR, print_json
    from cender.report import write_report

    page = write_report(worm)
    if as_json:
        print_json({"report": str(page)})
    STDERR.print(f"wrote {page}", markup=False, soft_wrap=True)
    if show:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
