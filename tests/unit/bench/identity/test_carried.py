"""What another animal is named by a template: measured on animals whose numbers mean the same neurons."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cender.bench.identity.carried import make_head_learner, measure_carried
from cender.bench.identity.data import make_subject
from cender.bench.identity.heads import load_named_heads, measure_heads
from cender.bench.identity.plan import choose_splits
from cender.config import Config
from cender.errors import ConfigError, DataError
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotation, Identities

SMALL = {"preset": "easy", "volumes": 3, "shape": (8, 160, 160), "voxel_um": (3.0, 0.6, 0.6)}


def test_the_template_is_the_other_animal_and_nothing_of_this_one_is_annotated() -> None:
    first, second = (make_subject(simulate_recording(SimulateParams(**SMALL, seed=seed)).truth()) for seed in (1, 2))
    asked: list[tuple[int, int]] = []

    def carry(annotated: list[Annotation], rest: list[Annotation], seed: int):
        asked.append((len(annotated), len(rest)))
        assert all((one.identity >= 0).any() for one in annotated)
        assert not any((one.identity >= 0).any() for one in rest)
        truth = {volume: one.identity for volume, one in second.taught.items()}
        return lambda volumes: [Identities(truth[one.volume], np.full(len(one), 0.9)) for one in volumes]

    done = measure_carried([(first, second)], ("perfect", carry), 2)
    assert asked == [(2, 1)]
    assert done.average("accuracy") == 1.0
    assert 0 < (done.average("accuracy_all") or 0) <= 1
    assert done.split == "template"
    with pytest.raises(DataError, match="at least 1"):
        measure_carried([(first, second)], ("perfect", carry), 0)
    hidden = replace(first, taught={})
    with pytest.raises(DataError):
        measure_carried([(hidden, second)], ("perfect", carry), 1)


@pytest.mark.real
def test_one_named_head_names_others_that_lie_on_either_side(real_data: Path) -> None:
    heads = load_named_heads(real_data / "wormnd.csv.gz")["HL"]
    learner = "default", make_head_learner(Config())
    within, _ = measure_heads([], {"HL": heads}, learner)
    assert (within.average("accuracy") or 0) > 0.7, "0.4 where heads are looked at from one side only"


def test_the_split_needs_two_animals() -> None:
    assert choose_splits(["template"], ["paper"], True)[0] == ("template",)
    with pytest.raises(ConfigError, match="--split template needs two animals"):
        choose_splits(["template"], ["paper"], False)
