"""``cender evaluate``: how right a run is."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cender.cli.options import Json

if TYPE_CHECKING:
    from cender.evaluate import Result
    from cender.types import Annotations


def evaluate(
    worm: Annotated[Path, typer.Argument(metavar="WORM", help="A run folder, or a truth folder of another annotator.")],
    truth: Annotated[Path, typer.Option("--truth", metavar="TRUTH", help="The truth folder to compare with.")],
    volumes: Annotated[
        str | None, typer.Option(metavar="A:B", help="Compare these volumes only, the last one not included.")
    ] = None,
    rename: Annotated[
        bool | None,
        typer.Option(
            "--rename/--keep-numbers",
            help="Put identity numbers into those of the truth first, by one matching for the recording; "
            "by default for a run without annotations.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw errors by kind and who is missed."),
    ] = None,
    json: Json = False,
) -> None:
    """Compare a run with the truth: detection, merging, axes, identities and traces."""
    from cender.cli.console import STDERR, STDOUT, print_json
    from cender.cli.evaluation_tables import print_result
    from cender.evaluate import evaluate_recording
    from cender.io import load_truth

    wanted = _parse_range(volumes)
    predicted = _load_side(worm)
    actual = load_truth(truth, predicted.voxel_um)
    _check_volumes(actual, truth, wanted, volumes)
    result = evaluate_recording(
        predicted, actual, volumes=wanted, rename=_is_unannotated_run(worm) if rename is None else rename
    )
    if shifted := _describe_shifts(predicted, actual, wanted):
        STDERR.print(f"warning: {shifted}", markup=False)
    if picture is not None:
        _save_picture(result, picture)
        STDERR.print(f"drew {picture}", markup=False)
    if json:
        print_json(result.as_json())
    else:
        print_result(result, STDOUT)


def _describe_shifts(predicted: "Annotations", truth: "Annotations", wanted: range | None) -> str | None:
    """What to say where the places of a truth of points all lie beside what was found."""
    from cender.annotate.places import align_places, say_largest
    from cender.types.words import say_count

    shifts = [
        align_places(one.centre_um, predicted.annotations[volume].centre_um).shift_um
        for volume, one in truth.annotations.items()
        if volume in predicted.annotations and not len(one.regions) and (wanted is None or volume in wanted)
    ]
    beside = [shift for shift in shifts if shift.any()]
    if not beside:
        return None
    return (
        f"in {len(beside)} of {say_count(len(shifts), 'volume')} the places of the truth all lie beside what was "
        f"found, by up to {say_largest(beside)}; what is farther away than 2 µm counts as missed"
    )


def _load_side(path: Path) -> "Annotations":
    from cender.errors import DataError
    from cender.io import load_run, load_truth

    if (path / "run.toml").is_file():
        return load_run(path)
    if (path / "truth.toml").is_file():
        return load_truth(path)
    found = "no such folder" if not path.exists() else "a folder with neither" if path.is_dir() else "a file"
    raise DataError(f"{path}: expected a run folder (with run.toml) or a truth folder (with truth.toml), found {found}")


def _is_unannotated_run(path: Path) -> bool:
    """Whether the identity numbers of a folder are arbitrary: nothing is annotated in it."""
    return (path / "run.toml").is_file() and not (path / "annotations.sqlite").is_file()


def _parse_range(text: str | None) -> range | None:
    from cender.errors import ConfigError

    if text is None:
        return None
    first, colon, stop = text.partition(":")
    if not colon or not first.isdecimal() or not stop.isdecimal() or int(first) >= int(stop):
        raise ConfigError(f"--volumes expects A:B with A below B, for example 0:100; found {text!r}")
    return range(int(first), int(stop))


def _check_volumes(truth: "Annotations", path: Path, wanted: range | None, text: str | None) -> None:
    from cender.errors import DataError

    if not truth.annotations:
        raise DataError(f"{path} holds no volume to compare with")
    if wanted is not None and not any(volume in wanted for volume in truth.annotations):
        first, last = min(truth.annotations), max(truth.annotations)
        raise DataError(f"--volumes {text}: {path} has none of these; its {len(truth)} volumes are {first} to {last}")


def _save_picture(result: "Result", path: Path) -> None:
    from cender.errors import ConfigError
    from cender.plots.evaluation import draw_evaluation

    shares: dict[str, list[tuple[str, float, int]]] = {}
    for tercile in result.breakdown:
        label = f"{tercile.low:.3g} to {tercile.high:.3g}"
        shares.setdefault(tercile.title, []).append((label, tercile.recall, tercile.truth))
    figure = draw_evaluation(result.detection_errors, result.identity_outcomes, shares)
    try:
        figure.savefig(path)
    except (ValueError, OSError) as error:
        raise ConfigError(f"--picture {path}: cannot be written ({error})") from error
