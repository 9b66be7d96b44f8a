"""Identities of another animal: the recognizer of a trained folder as the template of a recording."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cender.config import Config
from cender.errors import DataError
from cender.io import load_truth
from cender.io.results.folder.run_folder import open_folder
from cender.pipeline.learn.lessons import collect_lessons
from cender.pipeline.plan.inputs import RECOGNIZER, find_template
from cender.pipeline.plan.work import is_run_folder
from cender.pipeline.recording.recognizer.identify import Recognize, build_foreign
from cender.pipeline.recording.recognizer.weights import find_taught, load_recognizer
from cender.types import Annotation, Regions

# Fewer known neurons than this do not say how a head lies.
FEWEST_IDENTITIES = 20
COMPARED = 8
"""Volumes that are compared with their mirror images."""
SURER = 0.25
"""Mean probability by which mirror images must be surer to say so.

A head is nearly symmetric, so that the mirror image of another animal fits about as well: in pairs of simulated animals
that are not mirrored it is surer by up to 0.15. A mirrored recording of the template's own animal is told clearly.
"""


def needs_training(folder: Path) -> bool:
    """Whether a template is annotated but has no recognizer yet; refused where it has neither, or too little."""
    if not folder.is_dir():
        raise DataError(f"--template {folder}: there is no such folder; name that of an annotated or trained animal")
    if (folder / RECOGNIZER).is_file():
        return False
    try:
        lessons = collect_lessons([folder])
    except (DataError, OSError) as error:
        raise DataError(
            f"--template {folder}: expected a trained recognizer, {RECOGNIZER} in it, or annotated volumes, found "
            f"neither ({error}); annotate some of its volumes, `cender annotate {folder}`"
        ) from None
    _refuse_few(folder, {int(number) for one in lessons.annotated for number in one.identity if number >= 0})
    return True


def choose_template(folder: Path, config: Config) -> Config:
    """The settings with the recognizer of a trained folder, ours or the paper's; its numbers stay.

    Refused where that cannot recognize the neurons of another animal.
    """
    if needs_training(folder):
        raise DataError(f"--template {folder}: it is annotated but not trained; run `cender train recognizer {folder}`")
    path = folder / RECOGNIZER
    settings = config.recognize.model_copy(update={"weights": str(path.absolute())})
    chosen = config.model_copy(update={"recognize": settings})
    taught = find_taught(chosen)
    if not taught:
        raise DataError(
            f"--template {folder}: its recognizer began without annotation, so that its numbers mean nothing in "
            f"another animal; annotate a volume of it and run `cender train recognizer {folder}`"
        )
    _refuse_few(folder, taught)
    return chosen


def _refuse_few(folder: Path, taught: Collection[int]) -> None:
    if len(taught) < FEWEST_IDENTITIES:
        raise DataError(
            f"--template {folder}: expected at least {FEWEST_IDENTITIES} neurons with identities, found {len(taught)}: "
            "so few do not say how a head lies; annotate more of them and train again"
        )


def load_template_names(config: Config, folder: Path, taken: Mapping[int, str]) -> dict[int, str]:
    """Names that the template's neurons have and this animal's do not yet; a name that is taken here stays there."""
    other = find_template(config, folder)
    if other is None:
        return {}
    if is_run_folder(other):
        names = open_folder(other).load_names()
    elif (other / "truth.toml").is_file():
        names = dict(load_truth(other).names)
    else:
        return {}
    used = set(taken.values())
    return {number: name for number, name in names.items() if number not in taken and name not in used}


def find_mirror_doubt(volumes: Sequence[Annotation], config: Config, folder: Path) -> list[str]:
    """What to say where the mirror image of an animal fits its template better than the animal itself."""
    if find_template(config, folder) is None or config.recognize.weights is None or not volumes:
        return []
    recognize = build_foreign(load_recognizer(Path(config.recognize.weights)), config)
    return compare_with_mirror(volumes, recognize)


def compare_with_mirror(volumes: Sequence[Annotation], recognize: Recognize) -> list[str]:
    """The same for any recognizer: some volumes as they are, and turned inside out along z."""
    rows = np.unique(np.linspace(0, len(volumes) - 1, COMPARED).round().astype(int))
    # Boxes are left out of both, so that nothing but the places differs.
    plain = [replace(volumes[row], regions=Regions.empty()) for row in rows]
    turned = [replace(one, centre_um=one.centre_um * np.array([-1.0, 1.0, 1.0])) for one in plain]
    here, there = (
        float(np.mean(np.concatenate([one.probability for one in recognize(part)]))) for part in (plain, turned)
    )
    if there < here + SURER:
        return []
    return [
        f"its mirror image fits the template better than the animal itself (mean probability {there:.2f} against "
        f"{here:.2f}): identities are doubtful; was one of the two recordings mirrored, by the microscope or by the "
        "order of its frames?"
    ]
