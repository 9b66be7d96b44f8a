"""The methods that a benchmark compares do learn, and refuse what they cannot."""

from dataclasses import replace

import numpy as np
import pytest

from cender.bench.identity.across import measure_across
from cender.bench.identity.data import make_subject
from cender.bench.identity.measure import measure_identity_bench
from cender.bench.identity.methods import choose_features, embed_neurons, make_across_learner, make_learner
from cender.bench.identity.plan import Plan
from cender.config import Config, load_config
from cender.errors import DataError
from cender.types import Annotation, Annotations


def make_cloud(volumes: int = 12, neurons: int = 25, seed: int = 0, noise_um: float = 0.3) -> Annotations:
    """Neurons strewn over a head that trembles."""
    rng = np.random.default_rng(seed)
    place = rng.uniform(-1, 1, (neurons, 3)) * (10, 15, 40)
    return Annotations(
        "a cloud",
        None,
        5.0,
        {
            volume: Annotation.from_points(volume, place + rng.normal(0, noise_um, place.shape), np.arange(neurons))
            for volume in range(volumes)
        },
    )


SUBJECT = make_subject(make_cloud())
UNTRAINED = [f"train_recognizer.{name}={value}" for name, value in (("steps", 0), ("self_rounds", 0), ("threads", 1))]
BRIEF = load_config(None, ["recognize.paper.epochs=60"])


def test_the_papers_method_learns() -> None:
    learner = "paper", make_learner("paper", BRIEF)
    assert (measure_identity_bench([SUBJECT], learner, 6, "random").average("accuracy") or 0) > 0.9


def test_ours_learns_from_one_volume_and_from_none() -> None:
    learner = "default", make_learner("default", load_config(None, UNTRAINED))
    for train in (1, 0):
        assert (measure_identity_bench([SUBJECT], learner, train, "random").average("accuracy") or 0) > 0.8


def test_the_papers_method_needs_annotation() -> None:
    with pytest.raises(DataError, match="needs annotated volumes"):
        measure_identity_bench([SUBJECT], ("paper", make_learner("paper", Config())), 0, "random")


def test_the_papers_method_uses_a_template_of_another_animal() -> None:
    other = make_subject(make_cloud(seed=1))
    across = measure_across([(other, SUBJECT)], ("paper", make_across_learner("paper", BRIEF)), 6)
    assert 0.3 < (across.average("accuracy") or 0) <= 1, "25 neurons by chance: 0.04"


def test_features_can_be_chosen() -> None:
    assert choose_features(Config(), ("regions", "objects")).knn == "regions"
    assert choose_features(Config()).density == "regions"


def test_settings_of_the_papers_method_are_obeyed() -> None:
    figures = [
        measure_identity_bench([SUBJECT], ("paper", make_learner("paper", config)), 6, "random").average("accuracy")
        for config in (load_config(None, ["recognize.paper.epochs=1"]), BRIEF)
    ]
    assert figures[0] < figures[1] - 0.1
    assert choose_features(load_config(None, ["recognize.paper.k=7"]), ("objects", "objects")).k == 7


def test_temporal_pass_is_a_choice_of_the_benchmark() -> None:
    rough = make_subject(make_cloud(volumes=8, noise_um=2.5))
    alone, together = (
        load_config(None, [*UNTRAINED, "recognize.paper.epochs=1", f"recognize.temporal={choice}"])
        for choice in ("false", "true")
    )
    done = [
        measure_identity_bench([rough], ("default", make_learner("default", config)), 1, "random").repeats[0]
        for config in (alone, together)
    ]
    assert not np.array_equal(done[0].probability, done[1].probability), "neighbours have their say where asked"


def test_embedding_of_other_volumes() -> None:
    params = choose_features(Config()).model_copy(update={"epochs": 5})
    volumes = list(SUBJECT.taught.values())
    shown = [*volumes[4:6], replace(volumes[6], identity=np.full(25, -1))]
    classes, points, identity = embed_neurons(volumes[:3], shown, params)
    assert classes.shape == (25, 56)
    assert points.shape == (75, 56)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-5)
    assert (identity[-25:] == -1).all()


def test_plan_lists_what_will_be_measured() -> None:
    plan = Plan("a", (0, 1), ("blocked", "random", "animals"), ("default", "paper"), repeats=2)
    assert plan.count_trainings() == 2 * len(plan.steps) == 16
    assert ("default", "blocked", 0) in plan.steps
    assert not {("default", "random", 0), ("default", "animals", 0)} & set(plan.steps)
