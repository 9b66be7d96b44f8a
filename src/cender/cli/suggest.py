"""``cender suggest``: which volumes and neurons are worth a person's next minute."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from cender.annotate.advice import Advice


def suggest(
    worm: Annotated[Path, typer.Argument(metavar="WORM", help="A run folder.")],
    count: Annotated[int, typer.Option("--count", min=1, help="How many volumes and neurons to suggest.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")] = False,
) -> None:
    """Say which volumes and neurons to annotate next, the best first, and what that should gain.

    Volumes lie like as many others as possible, most of all like those in doubt; neurons have most doubt of all.
    """
    import json

    from cender.io.results.advice import suggest_annotation

    advice = suggest_annotation(worm, count)
    if as_json:
        typer.echo(json.dumps(describe_advice(advice)))
        return
    if not advice.volumes:
        typer.echo("There is no volume to suggest: no neurons are known, or all volumes are annotated.")
    for rank, one in enumerate(advice.volumes, 1):
        typer.echo(f"{rank}. volume {one.volume}: {one.reason}; gain about {one.gain:.1%}")
    for each in advice.neurons:
        typer.echo(f"neuron #{each.identity} in volume {each.volume}: {each.reason}")
    if advice.volumes:
        typer.echo(
            f"expected accuracy {advice.accuracy:.0%} now, about {advice.forecast:.0%} with these volumes annotated; "
            f"open one with: cender annotate {worm} --volume {advice.volumes[0].volume}"
        )


def describe_advice(advice: "Advice") -> dict[str, Any]:
    """Advice as JSON; an accuracy that is not known is null."""
    known = advice.accuracy == advice.accuracy
    return {
        "annotated": list(advice.annotated),
        "accuracy": round(advice.accuracy, 4) if known else None,
        "forecast": round(advice.forecast, 4) if known else None,
        "suggestions": [
            {"volume": one.volume, "doubt": one.doubt, "gain": one.gain, "reason": one.reason} for one in advice.volumes
        ],
        "neurons": [
            {
                "volume": one.volume,
                "identity": one.identity,
                "doubt": one.doubt,
                "gain": one.gain,
                "reason": one.reason,
            }
            for one in advice.neurons
        ],
    }
