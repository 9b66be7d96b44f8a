"""Identities of another animal: the recognizer of a trained folder as the template of a recording."""

from pathlib import Path

from cender.config import Config
from cender.errors import DataError
from cender.pipeline.recording.recognizer import find_taught

MODEL = Path("models") / "recognizer.safetensors"
# Fewer known neurons than this do not say how a head lies.
LEAST = 20


def choose_template(folder: Path, config: Config) -> Config:
    """The settings with the recognizer of a trained folder, ours or the paper's; its numbers stay.

    Refused where that cannot name the neurons of another animal.
    """
    if not folder.is_dir():
        raise DataError(f"--template {folder}: there is no such folder; name one that `cender train recognizer` taught")
    path = folder / MODEL
    if not path.is_file():
        raise DataError(
            f"--template {folder}: expected a trained recognizer, {MODEL} in it, found none; annotate some of its "
            f"volumes and run `cender train recognizer {folder}`"
        )
    settings = config.recognize.model_copy(update={"weights": str(path.absolute())})
    chosen = config.model_copy(update={"recognize": settings})
    taught = find_taught(chosen)
    if not taught:
        raise DataError(
            f"--template {folder}: its recognizer began without annotation, so that its numbers mean nothing in "
            f"another animal; annotate a volume of it and run `cender train recognizer {folder}`"
        )
    if len(taught) < LEAST:
        raise DataError(
            f"--template {folder}: expected at least {LEAST} neurons with identities, found {len(taught)}: so few do "
            "not say how a head lies; annotate more of them and train again"
        )
    return chosen
