"""``cender suggest``: which volumes are worth a person's next minute."""

from pathlib import Path
from typing import Annotated

import typer


def suggest(
    worm: Annotated[Path, typer.Argument(metavar="WORM", help="A run folder.")],
    count: Annotated[int, typer.Option("--count", min=1, help="How many volumes to name.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")] = False,
) -> None:
    """Say which volumes to annotate next, the best first: much in doubt, and unlike those that are annotated."""
    import json

    from cender.report.digest import digest_run
    from cender.report.folder import read_folder

    digest = digest_run(read_folder(worm), suggestions=count)
    if as_json:
        found = [{"volume": one.volume, "doubt": one.doubt, "reason": one.reason} for one in digest.suggestions]
        typer.echo(json.dumps({"annotated": list(digest.annotated), "suggestions": found}))
        return
    for rank, one in enumerate(digest.suggestions, 1):
        typer.echo(f"{rank}. volume {one.volume}: {one.reason}")
    if not digest.suggestions:
        typer.echo("There is no volume to suggest: no neurons are known.")
