"""The examiner learns from simulated animals that nothing else learns from or is measured on."""

import numpy as np

from cender.detect.surroundings import SAMPLES
from cender.nets.examiner_arrays import build_examiner
from cender.simulate import SimulateParams
from cender.training.shipped import examiner
from cender.training.shipped.examiner import Lesson, draw_lesson, list_animals, pack_examiner, train_examiner

FACTS = 28


def test_a_volume_teaches_which_candidates_are_neurons() -> None:
    params = SimulateParams.model_validate({"preset": "hard", "seed": 6990, "volumes": 20, "shape": (18, 512, 512)})
    lesson = draw_lesson((params, 10, False))
    assert lesson is not None
    count = len(lesson.right)
    assert lesson.facts.shape == (count, FACTS)
    assert lesson.samples.shape == (count, SAMPLES)
    assert 50 < lesson.right.sum() < count
    strong = lesson.facts[:, 0] > 1
    assert lesson.right[strong].mean() > lesson.right[~strong].mean()
    bare = params.model_copy(update={"anatomy": params.anatomy.model_copy(update={"neurons": (8, 8)})})
    assert draw_lesson((bare, 10, False)) is None


def test_what_surrounds_candidates_is_learnt(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    right = rng.random(1500) < 0.5
    facts = rng.normal(size=(1500, FACTS)).astype(np.float32)
    samples = rng.normal(size=(1500, SAMPLES)).astype(np.float16)
    samples[right, 100:140] += 1
    lessons = [Lesson(facts[part], samples[part], right[part]) for part in (slice(0, 1000), slice(1000, 1200))]
    monkeypatch.setattr(examiner, "list_flips", lambda: np.arange(SAMPLES)[None])
    score = build_examiner(pack_examiner([train_examiner(lessons, epochs=8)], {}))
    said = score(facts[1200:], samples[1200:].astype(np.float32)) > 0
    assert (said == right[1200:]).mean() > 0.85


def test_animals_are_its_own() -> None:
    seeds = np.array([params.seed for params, _, _ in list_animals()])
    assert len(seeds) > 1000
    assert seeds.min() >= 6000
    assert seeds.max() < 8000
