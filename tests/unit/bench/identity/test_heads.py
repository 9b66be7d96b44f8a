"""Named heads of many animals: names become numbers, and one head is the template of others, near and far."""

from pathlib import Path

import numpy as np
import pytest

from cender.bench.identity import memory
from cender.bench.identity.heads import load_named_heads, measure_heads
from cender.bench.identity.memory import Memory
from cender.bench.identity.plan import Plan, open_cast, run_plan
from cender.config import Config
from cender.errors import DataError
from cender.recognize.paper.params import PaperParams
from cender.types import Identities, Weights
from unit.bench.paper.test_celltypes import WORM, make_head


def test_heads_are_templates_within_and_between_labs() -> None:
    labs = {"A": [make_head(0, np.eye(3)), make_head(1, np.eye(3))], "B": [make_head(2, np.eye(3) * -1)]}
    told = []

    def learn(annotated, template, recording, seed):
        told.append((template.volume, sorted(one.volume for one in recording)))
        assert all((one.identity == -1).all() for one in recording), "names stay hidden"

        def recognize(volumes):
            nearest = [
                np.linalg.norm(one.centre_um[:, None] - template.centre_um[None], axis=2).argmin(1) for one in volumes
            ]
            return [Identities(template.identity[row], np.ones(len(row))) for row in nearest]

        return recognize

    within, between = measure_heads([], labs, ("nearest", learn))
    assert len(told) == 1, "a lab with one head has no other to test on"
    assert told[0][1] == [one for one in (0, 1, 2) if one != told[0][0]]
    assert (within.split, between.split) == ("within labs", "between labs")
    assert within.average("accuracy") > 0.9 > 0.5 > between.average("accuracy")


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
    with pytest.raises(DataError, match="expected the columns z_um"):
        load_named_heads(path)


def test_a_table_of_heads_is_recognized_with_a_model_of_a_recording(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = ["lab,worm,x_um,y_um,z_um,name"]
    for lab, worm in (("A", 1), ("A", 2), ("B", 1), ("C", 1), ("C", 2)):
        rows += [f"{lab},{worm},{x},{y},{z},N{i}" for i, (z, y, x) in enumerate(WORM + rng.normal(0, 0.2, WORM.shape))]
    (tmp_path / "heads.csv").write_text("\n".join(rows))
    volume, identity = np.repeat(np.arange(4), len(WORM)), np.tile(np.arange(len(WORM)), 4)
    places = np.tile(WORM, (4, 1)) + rng.normal(0, 0.2, (4 * len(WORM), 3))
    np.savez(tmp_path / "points.npz", volume=volume, xyz_um=places[:, ::-1], identity=identity)
    points = f"{tmp_path / 'points.npz'},{tmp_path / 'heads.csv'}"
    plan = Plan(points, (3,), ("animals",), ("paper",), repeats=1)
    config = Config.model_validate({"recognize": {"paper": {"epochs": 40, "k": 10}}})
    cast, told = open_cast(plan, config), list[str]()
    within, between = run_plan(plan, config, cast, told.append)
    assert (len(within.repeats), len(between.repeats)) == (2, 2), "a lab of one head has no other to recognize"
    assert len(told) == plan.count_trainings(cast.heads) == 2
    assert (within.average("accuracy") or 0) > 0.5, "heads that differ by noise only"


def test_the_same_training_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "train_embedding", lambda annotated, params, seed: Weights({}, {}))
    remember, params = Memory(), PaperParams()
    first = remember.train([make_head(0, np.eye(3))], params)
    assert remember.train([make_head(0, np.eye(3))], params) is first
    assert remember.train([make_head(1, np.eye(3))], params) is not first
    assert remember.train([make_head(0, np.eye(3))], params.model_copy(update={"epochs": 2})) is not first
