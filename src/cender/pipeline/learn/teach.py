"""A recognizer taught by annotated folders, in one call."""

from collections.abc import Sequence
from pathlib import Path

from cender.config import Config
from cender.errors import DataError
from cender.io import save_weights
from cender.pipeline.learn.lessons import collect_lessons
from cender.pipeline.recording.recognizer.learn import OnStep, ignore_step, train_weights


def train_recognizer(
    folders: Path | str | Sequence[Path | str],
    out: Path | str | None = None,
    config: Config | None = None,
    seed: int = 0,
    on_step: OnStep = ignore_step,
) -> Path:
    """Learn identities from annotated folders; returns the file of weights, which the next run of the folder uses.

    Parameters
    ----------
    folders
        Run folders that people annotated, or truth folders; several are several animals.
    out
        File to write; ``models/recognizer.safetensors`` of the only folder where it is not given.
    config
        Settings; the defaults where none are given.
    seed
        Of everything random.
    on_step
        Told of every training step.

    Raises
    ------
    DataError
        A folder has no annotated volume, or there are several folders and no ``out``.
    """
    homes = [Path(folders)] if isinstance(folders, str | Path) else [Path(one) for one in folders]
    if out is None and len(homes) != 1:
        raise DataError(f"{len(homes)} folders: say with out= where the weights should go")
    target = Path(out) if out is not None else homes[0] / "models" / "recognizer.safetensors"
    lessons = collect_lessons(homes)
    weights = train_weights(lessons.annotated, lessons.recording, config or Config(), seed, on_step)
    target.parent.mkdir(parents=True, exist_ok=True)
    save_weights(weights, target)
    return target
