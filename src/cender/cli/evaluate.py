"""``cender evaluate``: how right a run is."""

from pathlib import Path
from typing import Annotated

import typer

from cender.cli.options import Json


def evaluate(
    worm: Annotated[Path, typer.Argument(metavar="WORM", help="A run folder, or a truth folder of another annotator.")],
    truth: Annotated[Path, typer.Option("--truth", metavar="TRUTH", help="The truth folder to compare with.")],
    json: Json = False,
) -> None:
    """Compare a run with the truth: detection, merging, axes, identities and traces."""
    from cender.cli.console import print_json
    from cender.evaluate import evaluate_recording
    from cender.io import load_run, load_truth

    predicted = load_run(worm) if (worm / "run.toml").exists() else load_truth(worm)
    print_json(evaluate_recording(predicted, load_truth(truth)).as_json())
