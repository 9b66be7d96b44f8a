"""Cell types by position: names become numbers, poses are found from shared names, mirror images are noticed."""

from pathlib import Path

import numpy as np
import pytest

from cender.bench.paper.celltypes import load_named_heads, measure_cell_types, pose_by_labels
from cender.errors import DataError
from cender.types import Annotation, Identities

WORM = np.random.default_rng(0).normal(0, (6, 8, 30), (40, 3))


def make_head(volume: int, turn: np.ndarray) -> Annotation:
    noise = np.random.default_rng(volume).normal(0, 0.3, WORM.shape)
    return Annotation.from_points(volume, (WORM + noise) @ turn + 50, np.arange(40))


def match_places(template: Annotation, head: Annotation) -> Identities:
    """The name of the template's nearest neuron about the middles of both."""
    one, two = (each.centre_um - each.centre_um.mean(0) for each in (head, template))
    nearest = np.linalg.norm(one[:, None] - two[None], axis=2).argmin(axis=1)
    return Identities(template.identity[nearest], np.ones(len(head)))


def test_a_pose_from_names_undoes_turns_and_mirrors() -> None:
    mirror = np.diag([-1.0, 1.0, 1.0])
    heads = [make_head(0, np.eye(3)), make_head(1, np.diag([1.0, -1.0, -1.0])), make_head(2, mirror)]
    before = measure_cell_types(heads, match_places)["accuracy"]
    posed, mirrored = pose_by_labels(heads)
    after = measure_cell_types(posed, match_places)
    assert before < 0.5 < 0.95 < after["accuracy"]
    assert (mirrored, after["heads"]) == (1, 3)


def test_a_table_of_names_becomes_heads_by_lab(tmp_path: Path) -> None:
    path = tmp_path / "heads.csv"
    path.write_text(
        "lab,worm,x_um,y_um,z_um,name\nA,1,1,2,3,AVA\nA,1,4,5,6,\nA,1,7,8,9,AVA\nA,2,1,1,1,RIB\nB,1,0,0,0,AVA\n"
    )
    labs = load_named_heads(path)
    assert [len(one) for one in labs["A"]] == [3, 1]
    assert labs["A"][0].centre_um[0].tolist() == [3, 2, 1]
    assert labs["A"][0].identity.tolist() == [0, -1, -1], "a name that stands twice counts once"
    assert labs["B"][0].identity.tolist() == [0]


def test_another_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "heads.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="expected a table with lab"):
        load_named_heads(path)
