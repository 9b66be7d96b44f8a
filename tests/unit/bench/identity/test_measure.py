"""The benchmark of identities: which volumes teach, what is hidden, and that the figures are those of `evaluate`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cases.recognition import NEAREST, learn_nearest, make_truth
from cases.simulations import simulate
from cender.bench.identity.data import (
    detect_subject,
    make_subject,
    open_points,
    put_identities,
    reorder,
)
from cender.bench.identity.measure import measure_identity_bench, run_repeat
from cender.bench.identity.split import Split, split_volumes, thin_volumes
from cender.bench.identity.subject import Subject, get_times
from cender.config import Config
from cender.errors import DataError, ShapeMismatch
from cender.evaluate import evaluate_recording
from cender.types import Annotation, Annotations, Identities


def repeat_subject(truth: Annotations, repeats: int = 3) -> list[Subject]:
    return [make_subject(truth)] * repeats


@pytest.mark.parametrize("kind", ["random", "blocked"])
@pytest.mark.parametrize("train", [1, 5, 10])
def test_training_volumes_are_not_tested(kind, train: int) -> None:
    times = {volume: volume / 2.0 for volume in range(100)}
    for repeat in range(4):
        split = split_volumes(times, times, train, kind, 7, repeat)
        assert len(split.train) == train
        assert split.test
        assert not set(split.train) & set(split.test)
        assert split == split_volumes(times, times, train, kind, 7, repeat)


def test_random_split_tests_on_all_the_rest() -> None:
    split = split_volumes(range(30), {}, 4, "random", 0, 0)
    assert sorted({*split.train, *split.test}) == list(range(30))


def test_blocked_split_keeps_its_distance() -> None:
    times = {volume: volume / 2.0 for volume in range(400)}
    blocks = []
    for repeat in range(5):
        split = split_volumes(times, times, 20, "blocked", 0, repeat)
        assert split.block_s is not None
        start, stop = split.block_s
        assert stop - start == pytest.approx(0.2 * 199.5)
        assert all(start <= times[volume] <= stop for volume in split.train)
        gaps = [abs(times[a] - times[b]) for a in split.train for b in split.test]
        assert min(gaps) > 5
        assert all(times[volume] < start - 5 or times[volume] > stop + 5 for volume in split.test)
        blocks.append(start)
    assert len({round(start) for start in blocks}) == 5, "every repeat moves the block"
    close = split_volumes(times, times, 20, "random", 0, 0)
    assert min(abs(times[a] - times[b]) for a in close.train for b in close.test) <= 5, "a random split does not"


def test_fewer_volumes_are_a_part_of_more() -> None:
    times = {volume: float(volume) for volume in range(200)}
    for kind in ("random", "blocked"):
        few, many = (split_volumes(times, times, count, kind, 1, 2) for count in (5, 20))
        assert set(few.train) < set(many.train)


def test_no_annotation_tests_on_all() -> None:
    assert split_volumes(range(9), {}, 0, "blocked", 0, 0) == Split((), tuple(range(9)))


@pytest.mark.parametrize(
    ("labelled", "times", "train", "kind", "says"),
    [
        ([], {}, 1, "random", "nothing to learn from"),
        (range(5), {}, 5, "random", "leaves none"),
        (range(5), {}, 9, "random", "only 5 annotated volumes"),
        (range(50), {}, 2, "blocked", "--rate"),
        (range(50), {v: float(v) for v in range(50)}, 30, "blocked", "fewer training volumes"),
        (range(20), {v: v / 5 for v in range(20)}, 1, "blocked", "too short"),
    ],
)
def test_impossible_split_is_refused(labelled, times, train: int, kind, says: str) -> None:
    with pytest.raises(DataError, match=says):
        split_volumes(labelled, times, train, kind, 0, 0)


def test_thinning_is_even() -> None:
    assert thin_volumes(range(100), 3) == (0, 50, 99)
    assert thin_volumes(range(3), 10) == (0, 1, 2)
    assert thin_volumes(range(3), None) == (0, 1, 2)


def test_learner_sees_no_identity_but_those_of_training() -> None:
    seen: list[tuple[Sequence[Annotation], Sequence[Annotation]]] = []

    def spy(annotated, recording, seed):
        seen.append((annotated, recording))
        recognize = learn_nearest(annotated, recording, seed)

        def look(volumes):
            assert all((volume.identity == -1).all() for volume in volumes)
            return recognize(volumes)

        return look

    measurement = measure_identity_bench(repeat_subject(make_truth()), ("spy", spy), 3, "random")
    for (annotated, recording), repeat in zip(seen, measurement.repeats, strict=True):
        assert tuple(one.volume for one in annotated) == repeat.split.train
        assert all((one.identity >= 0).any() for one in annotated)
        assert len(recording) == 60
        assert all((one.identity == -1).all() for one in recording)


def test_order_of_rows_says_nothing() -> None:
    truth = make_truth()

    def learn_order(annotated, recording, seed):
        return lambda volumes: [Identities(np.arange(len(v)) + 20, np.ones(len(v))) for v in volumes]

    told = Subject(truth, truth.annotations, truth.annotations, get_times(truth))
    by_order = measure_identity_bench([told], ("order", learn_order), 1, "random")
    assert by_order.average("accuracy") == 1, "in the file the order gives all away"
    assert (
        measure_identity_bench(repeat_subject(truth), ("order", learn_order), 1, "random").average("accuracy")
    ) < 0.3


def test_figures_are_those_of_evaluate() -> None:
    subject = make_subject(make_truth(drift=0.2))
    split = split_volumes(subject.seen, subject.time_s, 2, "random", 0, 0)
    ours = run_repeat(subject, split, learn_nearest, 0)
    recognize = learn_nearest([subject.taught[v] for v in split.train], list(subject.seen.values()), 0)
    tested = [subject.seen[v] for v in split.test]
    answers = recognize(tested)
    predicted = replace(
        subject.truth,
        annotations={
            v.volume: replace(v, identity=a.identity, probability=a.probability)
            for v, a in zip(tested, answers, strict=True)
        },
    )
    known = set(range(20, 30))
    theirs = evaluate_recording(predicted, subject.truth, volumes=split.test, known=known)
    assert ours.figures == theirs.identity
    assert 0 < (ours.figures.accuracy or 0) < 1
    assert ours.volume_accuracy.mean() == pytest.approx(ours.figures.accuracy)
    assert len(ours.right) == len(ours.probability) > 0


def test_identities_outside_of_training_cannot_be_known() -> None:
    truth = make_truth()
    late = truth.annotations[40]
    truth.annotations[40] = replace(late, identity=np.where(np.arange(12) == 11, 99, late.identity))
    subject = make_subject(truth)
    split = Split((0,), tuple(range(1, 60)))
    figures = run_repeat(subject, split, learn_nearest, 0).figures
    assert figures.accuracy == 1
    assert figures.accuracy_all == pytest.approx(590 / 591)


def test_without_annotation_numbers_are_renamed() -> None:
    measurement = measure_identity_bench(repeat_subject(make_truth(), 1), NEAREST, 0, "random")
    assert measurement.average("accuracy") == 1
    assert measurement.split == "none"
    assert measurement.repeats[0].split.train == ()
    assert len(measurement.repeats[0].split.test) == 60


def test_mean_and_spread_over_repeats() -> None:
    measurement = measure_identity_bench(repeat_subject(make_truth(drift=0.2)), NEAREST, 1, "blocked", seed=4)
    values = [repeat.figures.accuracy or 0 for repeat in measurement.repeats]
    assert len(set(values)) > 1
    assert measurement.average("accuracy") == pytest.approx(np.mean(values))
    assert measurement.spread("accuracy") == pytest.approx(np.std(values, ddof=1))
    shown = measurement.as_json()
    assert {"accuracy", "worst_5pct", "calibration_error", "train_s", "ms_per_volume"} < set(shown["identity"])
    assert (shown["data"], shown["split"], shown["seed"], shown["method"]) == ("made up", "blocked", 4, "nearest")
    assert shown["repeats"][0]["block_s"] is not None


def test_answer_of_the_wrong_size_is_refused() -> None:
    def learn_short(annotated, recording, seed):
        return lambda volumes: [Identities(np.zeros(1, int), np.ones(1)) for _ in volumes]

    with pytest.raises(ShapeMismatch, match="every volume"):
        measure_identity_bench(repeat_subject(make_truth()), ("short", learn_short), 1, "random")


def test_reordering_takes_regions_along() -> None:
    annotation = simulate(volumes=1).annotate(0)
    rows = np.random.default_rng(0).permutation(len(annotation))
    mixed = reorder(annotation, rows)
    assert not np.array_equal(mixed.identity, annotation.identity)
    for row in (0, 3):
        mine = mixed.regions.box_px[mixed.regions.neuron == row]
        theirs = annotation.regions.box_px[annotation.regions.neuron == rows[row]]
        np.testing.assert_array_equal(mine, theirs)


def test_annotator_names_only_what_was_found() -> None:
    truth = simulate(volumes=1).annotate(0)
    kept = np.flatnonzero(np.arange(len(truth)) % 4 != 0)
    mask = np.isin(truth.regions.neuron, kept)
    moved = np.searchsorted(kept, truth.regions.neuron[mask])
    found = replace(
        truth,
        centre_um=truth.centre_um[kept],
        identity=np.full(len(kept), -1),
        probability=np.zeros(len(kept)),
        regions=replace(truth.regions.select(mask), neuron=moved),
    )
    named = put_identities(found, truth)
    np.testing.assert_array_equal(named.identity, truth.identity[kept])
    far = put_identities(replace(found, centre_um=found.centre_um + 50, regions=truth.regions.empty()), truth)
    assert (far.identity == -1).all()


def test_detected_neurons_are_compared_with_true_ones() -> None:
    params = simulate(seed=9000, volumes=2, preset="easy").world.params
    told: list[int] = []
    subject = detect_subject(params, Config(), told.append)
    assert told == [0, 1]
    assert set(subject.seen) <= {0, 1}
    assert len(subject.truth) == 2
    for volume, taught in subject.taught.items():
        assert (subject.seen[volume].identity == -1).all()
        assert set(taught.identity) - {-1} <= set(subject.truth.annotations[volume].identity)
        assert len(taught) == len(subject.seen[volume])


def test_npz_and_csv_are_the_same(tmp_path: Path) -> None:
    truth = make_truth(volumes=3, rate_hz=None)
    rows = [(v, *p, i) for v, a in truth.annotations.items() for p, i in zip(a.centre_um, a.identity, strict=True)]
    table = np.array(rows)
    np.savez(
        tmp_path / "points.npz",
        volume=table[::-1, 0].astype(np.int32),
        xyz_um=table[::-1, 3:0:-1].astype(np.float32),
        identity=table[::-1, 4].astype(np.int32),
    )
    lines = ["volume,z_um,y_um,x_um,identity", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "points.csv").write_text("\n".join(lines).replace(",-1\n", ",\n"), encoding="utf-8")
    one, two = (open_points(tmp_path / name, 6.0) for name in ("points.npz", "points.csv"))
    assert one.rate_hz == two.rate_hz == 6
    for volume in range(3):
        np.testing.assert_allclose(
            one.annotations[volume].centre_um[::-1], two.annotations[volume].centre_um, atol=1e-4
        )
        np.testing.assert_array_equal(one.annotations[volume].identity[::-1], two.annotations[volume].identity)
        assert one.annotations[volume].complete
        assert two.annotations[volume].complete, "the benchmark learns from points without an identity, too"
    assert get_times(one) == {0: 0, 1: 1 / 6, 2: 2 / 6}


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"volume": np.zeros(2)}, "xyz_um and identity is missing"),
        ({"volume": np.zeros(2), "xyz_um": np.zeros((3, 3)), "identity": np.zeros(2)}, "n × 3"),
    ],
)
def test_malformed_npz_is_refused(arrays, says: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "points.npz", **arrays)
    with pytest.raises(DataError, match=says):
        open_points(tmp_path / "points.npz")


def test_what_is_no_npz_is_refused(tmp_path: Path) -> None:
    (tmp_path / "points.npz").write_text("volume,z", encoding="utf-8")
    for name in ("points.npz", "nothing.npz"):
        with pytest.raises(DataError, match=name):
            open_points(tmp_path / name)


@pytest.mark.real
def test_real_recording_of_points(real_data: Path) -> None:
    truth = open_points(real_data / "nerve.npz", 6.0)
    assert len(truth) > 900
    subject = make_subject(truth)
    split = split_volumes(subject.seen, subject.time_s, 130, "blocked", 0, 0)
    figures = run_repeat(subject, replace(split, test=thin_volumes(split.test, 20)), learn_nearest, 0).figures
    assert 0 < (figures.accuracy or 0) < 0.5
