"""Named heads of many animals: one head is the template of others, of its own lab and of other labs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Int

from cender.bench.identity.across import LearnAcross
from cender.bench.identity.measure import Measurement, Repeat, collect_identities, score_recognizer
from cender.bench.identity.pairs import Pace
from cender.bench.identity.split import Split, thin_volumes
from cender.bench.identity.subject import Subject, hide_identities
from cender.errors import DataError
from cender.io.cells import load_cells
from cender.types import Annotation, Annotations

Heads = dict[str, list[Annotation]]


def is_table(path: str) -> bool:
    """Whether this names a table of named heads, and no recording."""
    return path.endswith((".csv", ".csv.gz")) and Path(path).is_file() and Path(path).name != "points.csv"


def load_named_heads(path: Path) -> Heads:
    """Heads with cell names of a table ``lab, worm, x_um, y_um, z_um, name``, by lab; a name is a number throughout.

    A name that stands twice in a head belongs to its first point only. Volumes are numbered through all labs.
    """
    animals = load_cells([path])
    names = sorted({name for one in animals for name in one.name} - {""})
    if not names:
        raise DataError(f"{path}: expected heads with cell names (column name), found none")
    number = {name: row for row, name in enumerate(names)}
    labs: Heads = {}
    for volume, one in enumerate(animals):
        identity = _keep_first(np.array([number.get(name, -1) for name in one.name]))
        labs.setdefault(one.lab, []).append(Annotation.from_points(volume, one.position_um, identity))
    return labs


def measure_heads(
    teachers: Sequence[Annotation],
    heads: Heads,
    method: tuple[str, LearnAcross],
    *,
    templates: int = 1,
    pace: Pace | None = None,
) -> tuple[Measurement, Measurement]:
    """Within labs and between labs: one head of a lab is the template, for the other heads and for those of other labs.

    Parameters
    ----------
    teachers
        Annotated volumes of another animal.
    method
        Its name and how it learns; it sees all heads that it is tested on, without names.
    templates
        How many heads of every lab are templates in turn, drawn at random.
    pace
        Its ``at_most`` bounds the heads of other labs that every template is tested on, spread evenly.
    """
    if sum(len(lab) > 1 for lab in heads.values()) == 0:
        raise DataError("expected a lab with at least two heads: one is the template of the others")
    pace = pace or Pace()
    rng = np.random.default_rng(pace.seed)
    within: list[Repeat] = []
    between: list[Repeat] = []
    for lab, mine in heads.items():
        for row in rng.permutation(len(mine))[:templates] if len(mine) > 1 else ():
            template = mine[int(row)]
            own = [one for one in mine if one is not template]
            foreign = [one for name, theirs in heads.items() if name != lab for one in theirs]
            chosen = set(thin_volumes([one.volume for one in foreign], pace.at_most))
            foreign = [one for one in foreign if one.volume in chosen]
            subject = _gather([*own, *foreign])
            start = pace.clock()
            recognize = method[1](teachers, template, list(subject.seen.values()), pace.seed)
            spent = pace.clock() - start
            for found, tested in ((within, own), (between, foreign)):
                split = Split((template.volume,), tuple(one.volume for one in tested))
                if tested:
                    known = collect_identities([template])
                    found.append(score_recognizer(subject, split, recognize, spent, known, pace.clock))
            pace.on_repeat(within[-1])
    return (
        Measurement(method[0], len(teachers), "within labs", pace.seed, "named heads", None, tuple(within)),
        Measurement(method[0], len(teachers), "between labs", pace.seed, "named heads", None, tuple(between or within)),
    )


def _gather(heads: Sequence[Annotation]) -> Subject:
    volumes = {one.volume: one for one in heads}
    hidden = {volume: hide_identities(one) for volume, one in volumes.items()}
    return Subject(Annotations("named heads", None, None, volumes), hidden, volumes, {})


def _keep_first(identity: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    kept = np.full(len(identity), -1)
    _, first = np.unique(identity, return_index=True)
    kept[first] = identity[first]
    return kept
