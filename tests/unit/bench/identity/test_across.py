"""A model of one animal on another, and the pictures of what was measured."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cases.constellations import film_head, make_head
from cases.recognition import NEAREST, learn_nearest, make_truth
from cender.bench.identity.across import measure_across, mix_numbers
from cender.bench.identity.data import make_subject
from cender.bench.identity.measure import Recognize, measure_identity_bench
from cender.bench.identity.pictures import draw_measurements, gather_curves
from cender.bench.identity.plan import Plan, choose_splits, open_cast, run_plan
from cender.bench.paper.published import DETECTION, FEATURES, TRACKING, list_published
from cender.config import Config
from cender.errors import ConfigError, DataError
from cender.types import Annotation

PAIR = make_subject(make_truth(volumes=20)), make_subject(make_truth(volumes=30, neurons=10))


def learn_across(
    annotated: Sequence[Annotation], template: Annotation, recording: Sequence[Annotation], seed: int
) -> Recognize:
    """Only the template serves."""
    return learn_nearest([template], recording, seed)


def test_template_is_all_that_is_told_of_the_other_animal() -> None:
    told: list[tuple[Sequence[Annotation], Annotation, Sequence[Annotation]]] = []

    def spy(annotated, template, recording, seed):
        told.append((annotated, template, recording))
        return learn_across(annotated, template, recording, seed)

    measurement = measure_across([PAIR, PAIR], ("spy", spy), 4)
    assert measurement.average("accuracy") == 1
    assert (measurement.split, measurement.train, len(measurement.repeats)) == ("animals", 4, 2)
    for (annotated, template, recording), repeat in zip(told, measurement.repeats, strict=True):
        assert len(annotated) == 4
        assert all(len(one) == 12 for one in annotated), "these are volumes of the first animal"
        assert len(template) == 10
        assert repeat.split.train == (template.volume,)
        assert template.volume not in repeat.split.test
        assert len(repeat.split.test) == 29
        assert all((one.identity == -1).all() for one in recording)


def test_numbers_of_the_first_animal_say_nothing_of_the_second() -> None:
    def learn_numbers(annotated, template, recording, seed):
        return learn_nearest(annotated, recording, seed)

    assert measure_across([PAIR], ("template", learn_across), 4).average("accuracy") == 1
    assert (measure_across([PAIR], ("numbers", learn_numbers), 4).average("accuracy") or 0) < 0.5


def test_mixed_numbers_stay_consistent() -> None:
    subject = PAIR[0]
    volumes = [subject.taught[volume] for volume in range(5)]
    mixed = mix_numbers(volumes, 1)
    pairs = {
        (int(old), int(new))
        for before, after in zip(volumes, mixed, strict=True)
        for old, new in zip(before.identity, after.identity, strict=True)
    }
    assert (-1, -1) in pairs
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs}) == 11
    assert any(old != new for old, new in pairs)
    assert mix_numbers([], 0) == []


def test_model_of_nothing_is_refused() -> None:
    with pytest.raises(DataError, match="at least 1"):
        measure_across([PAIR], ("none", learn_across), 0)
    with pytest.raises(DataError, match="pair"):
        measure_across([], ("none", learn_across), 1)


def test_curves_join_what_belongs_together() -> None:
    subjects = [make_subject(make_truth(drift=0.2))] * 2
    done = [
        measure_identity_bench(subjects, NEAREST, 0, "random"),
        *(measure_identity_bench(subjects, NEAREST, count, kind) for kind in ("random", "blocked") for count in (5, 1)),
    ]
    curves = {curve.split: curve for curve in gather_curves(done)}
    assert set(curves) == {"random", "blocked"}
    assert all(curve.volumes == (0, 1, 5) for curve in curves.values())
    assert curves["random"].accuracy[0] == curves["blocked"].accuracy[0] == done[0].average("accuracy")
    assert curves["blocked"].accuracy[2] == done[3].average("accuracy")


def test_pictures_are_drawn(tmp_path: Path) -> None:
    subjects = [make_subject(make_truth(drift=0.2))]
    within = [measure_identity_bench(subjects, NEAREST, count, "random") for count in (1, 5)]
    across = [measure_across([PAIR], ("paper", learn_across), 3)]
    names = {path.name for path in draw_measurements([*within, *across], tmp_path / "new", timed=True)}
    assert names == {f"identity-{kind}.png" for kind in ("volumes", "animals", "time", "reliability")}
    assert all((tmp_path / "new" / name).stat().st_size > 4000 for name in names)


def test_published_figures_are_possible() -> None:
    for found in DETECTION:
        for precision, recall, f1 in (found.c1, found.c2_c3):
            # Printed to two digits, F1 may be off by a few hundredths (one row of the paper is off by 0.1).
            assert 2 / (1 / precision + 1 / recall) == pytest.approx(f1, abs=0.11)
    assert all(0 < row.accuracy < 100 for row in TRACKING)
    assert np.argmax([shares[0] for shares in FEATURES.values()]) == 2
    best = {row.accuracy for row in TRACKING}
    for data in ("a/nerve.npz", "simulated typical"):
        assert all(round(100 * accuracy, 2) in best for _, _, accuracy in list_published(data))


def test_two_files_are_two_animals(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 1)):
        film = film_head(make_head(40, seed), 6)
        volume = np.concatenate([np.full(len(one), one.volume) for one in film])
        places = np.concatenate([one.centre_um[:, ::-1] for one in film])
        identity = np.concatenate([one.identity for one in film])
        np.savez(tmp_path / f"{name}.npz", volume=volume, xyz_um=places, identity=identity)
    config = Config.model_validate({"recognize": {"paper": {"epochs": 5}}})
    kinds, methods = choose_splits(["animals"], ["paper"], simulated=False, paired=True)
    plan = Plan(f"{tmp_path / 'a.npz'},{tmp_path / 'b.npz'}", (4,), kinds, methods, repeats=1)
    cast = open_cast(plan, config)
    assert (Path(cast.teachers[0].truth.source).name, Path(cast.tested[0].truth.source).name) == ("a.npz", "b.npz")
    (done,) = run_plan(plan, config, cast)
    assert (done.split, len(done.repeats[0].split.test)) == ("animals", 5)
    with pytest.raises(ConfigError, match="two files with a comma"):
        choose_splits(["animals"], ["paper"], simulated=False)
    with pytest.raises(ConfigError, match="only --split animals"):
        choose_splits(["random"], ["paper"], simulated=False, paired=True)
