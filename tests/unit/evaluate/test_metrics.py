"""Figures at their edges: nothing to measure, ties, few values."""

from dataclasses import replace

import numpy as np
import pytest

from cases.building import Neuron, recording, volume
from cases.catalogue import CASES
from cender.errors import ShapeMismatch
from cender.evaluate import evaluate_recording
from cender.evaluate.detection import Detection
from cender.evaluate.identity import GivenIdentities, measure_calibration_error, measure_recall_at_precision
from cender.evaluate.traces import is_varying
from cender.types import VoxelSize


def given(*pairs: tuple[float, bool]) -> GivenIdentities:
    return GivenIdentities(np.array([p for p, _ in pairs], float), np.array([r for _, r in pairs], bool))


def test_names_of_the_same_probability_stay_or_go_together() -> None:
    apart = given((0.91, True), (0.9, False))
    tied = given((0.9, True), (0.9, False))
    assert measure_recall_at_precision(apart, 2) == 0.5
    assert measure_recall_at_precision(tied, 2) == 0


def test_cut_passes_a_dip_in_precision() -> None:
    # 0 of 1, then 19 of 20: the first cut is not precise enough, the last one is.
    judged = given((0.99, False), *((0.9, True) for _ in range(19)))
    assert measure_recall_at_precision(judged, 38) == 0.5


def test_calibration_of_a_constant_probability_is_its_distance_from_the_truth() -> None:
    judged = given(*((0.8, index % 2 == 0) for index in range(100)))
    assert measure_calibration_error(judged) == pytest.approx(0.3)


def test_calibration_bins_have_equal_counts() -> None:
    # Fifteen bins of two identities each: in one 0.1 and 0.3, one of them right, 0.3 away from their mean; in fourteen
    # twice 0.9, both right, 0.1 away. In bins of equal width the first two would lie apart: 0.9 and 0.3 away.
    judged = given((0.1, True), (0.3, False), *((0.9, True) for _ in range(28)))
    assert measure_calibration_error(judged) == pytest.approx((2 * 0.3 + 28 * 0.1) / 30)


def test_calibration_does_not_depend_on_the_order_of_ties() -> None:
    judged = given(*((0.5, index < 10) for index in range(40)))
    flipped = GivenIdentities(judged.probability, judged.right[::-1].copy())
    assert measure_calibration_error(judged) == measure_calibration_error(flipped) == pytest.approx(0.25)


def test_name_without_probability_is_the_least_certain() -> None:
    truth = recording(volume(0, Neuron(0, identity=0), Neuron(8, identity=1)))
    sure = recording(volume(0, Neuron(0, identity=0, probability=0.5), Neuron(8, identity=9, probability=0.9)))
    unsure = recording(
        volume(0, Neuron(0, identity=0, probability=0.5), Neuron(8, identity=9, probability=float("nan")))
    )
    assert evaluate_recording(sure, truth).identity.recall_at_95_strict == 0
    assert evaluate_recording(unsure, truth).identity.recall_at_95_strict == 0.5


@pytest.mark.parametrize(
    ("ratio", "varies"),
    [([1.0, 1.0, 1.0], False), ([1.0, 1.2, 1.0, 1.2], True), ([1.0, 2.0], False), ([-1.0, 0.0, 1.0], False)],
)
def test_varying_means_ten_per_cent_of_the_median(ratio: list[float], varies: bool) -> None:
    assert is_varying(np.array(ratio)) is varies


def test_one_outlier_does_not_make_a_trace_vary() -> None:
    ratio = np.ones(100)
    ratio[7] = 50
    assert ratio.std() / ratio.mean() > 0.1
    assert not is_varying(ratio)


def test_figures_that_are_not_finite_are_left_out_of_traces() -> None:
    wave = {(0, t): 1.0 + t % 2 for t in range(6)}
    volumes = [volume(t, Neuron(0, identity=0)) for t in range(6)]
    truth = recording(*volumes, ratio=wave)
    spoilt = {**wave, (0, 3): float("nan")}
    assert evaluate_recording(recording(*volumes, ratio=spoilt), truth).traces.correlation == pytest.approx(1)
    assert evaluate_recording(recording(*volumes), truth).traces.correlation is None


def test_ratios_are_renamed_with_their_neurons() -> None:
    wave = {t: 1.0 + t % 2 for t in range(4)}
    truth = recording(*(volume(t, Neuron(0, identity=3)) for t in wave), ratio={(3, t): v for t, v in wave.items()})
    predicted = recording(*(volume(t, Neuron(0, identity=0)) for t in wave), ratio={(0, t): v for t, v in wave.items()})
    assert evaluate_recording(predicted, truth).traces.correlation == 0
    renamed = evaluate_recording(predicted, truth, rename=True)
    assert renamed.traces.correlation == pytest.approx(1)
    assert renamed.identity.accuracy == 1


def test_renaming_gives_a_spare_number_no_true_name() -> None:
    truth = recording(volume(0, Neuron(0, identity=0), Neuron(8, identity=1)))
    predicted = recording(volume(0, Neuron(0, identity=5), Neuron(30, identity=1)))
    kept = evaluate_recording(predicted, truth).identity_outcomes
    assert (kept["wrong"], kept["misplaced"]) == (1, 1)
    # 5 is renamed to 0; the false detection's own 1 must not be taken for the true one.
    renamed = evaluate_recording(predicted, truth, rename=True).identity_outcomes
    assert (renamed["right"], renamed["missed"]) == (1, 1)


def test_nothing_at_all_gives_null_everywhere() -> None:
    figures = evaluate_recording(recording(), recording()).as_json()
    for topic in ("detection_2d", "detection_3d", "centre", "axes", "identity", "traces"):
        assert set(figures[topic].values()) == {None}
    assert figures["breakdown"] == []
    assert figures["provenance"]["volumes"] == 0


def test_one_neuron_has_no_crowding() -> None:
    side = recording(volume(0, Neuron(0, identity=0)))
    result = evaluate_recording(side, side)
    assert [tercile.by for tercile in result.breakdown] == ["depth"]
    assert result.breakdown[0].recall == 1


def test_breakdown_finds_the_dim_ones_missed() -> None:
    neurons = [Neuron(8.0 * index, frames=(index,), identity=index) for index in range(9)]
    annotation = volume(0, *neurons)
    bright = replace(annotation, regions=replace(annotation.regions, intensity=np.arange(9.0) * 10))
    predicted = recording(volume(0, *neurons[3:]))
    result = evaluate_recording(predicted, recording(bright))
    brightness = [tercile for tercile in result.breakdown if tercile.by == "brightness"]
    assert [(t.low, t.high, t.recall, t.accuracy) for t in brightness] == [
        (0, 20, 0, 0),
        (30, 50, 1, 1),
        (60, 80, 1, 1),
    ]
    crowding = [tercile for tercile in result.breakdown if tercile.by == "crowding"]
    assert sum(tercile.truth for tercile in crowding) == 9


def test_precision_comes_from_complete_volumes_only() -> None:
    one, two = Neuron(0), Neuron(8)
    truth = recording(volume(0, one), volume(1, one, complete=False))
    predicted = recording(volume(0, one, two), volume(1, one, two, Neuron(16)))
    assert evaluate_recording(predicted, truth).detection_3d == Detection(2, 2, 2, 1, True)


def test_only_the_volumes_asked_for_are_compared() -> None:
    case = CASES["volume not processed"]
    assert evaluate_recording(case.predicted, case.truth).detection_3d.recall == 0.5
    result = evaluate_recording(case.predicted, case.truth, volumes=range(0, 1))
    assert result.detection_3d.recall == 1
    assert (result.provenance.volumes, result.provenance.first_volume, result.provenance.last_volume) == (
        1,
        0,
        0,
    )


def test_boxes_on_another_grid_are_refused() -> None:
    case = CASES["perfect"]
    other = replace(case.predicted, voxel_um=VoxelSize(1.0, 0.5, 0.5))
    with pytest.raises(ShapeMismatch, match="same grid"):
        evaluate_recording(other, case.truth)


def test_centres_on_another_grid_are_compared() -> None:
    case = CASES["centres only"]
    other = replace(case.predicted, voxel_um=VoxelSize(1.0, 0.5, 0.5))
    assert evaluate_recording(other, case.truth).centre.recall == 0.5


def test_result_says_where_it_comes_from() -> None:
    case = CASES["perfect"]
    said = {"seed": "7", "preset_hash": "abc", "split": "blocked"}
    truth = replace(case.truth, source="truth folder", provenance=said)
    provenance = evaluate_recording(case.predicted, truth).as_json()["provenance"]
    assert {key: provenance[key] for key in ("data", *said)} == {"data": "truth folder", **said}
    assert provenance["version"]


def test_the_same_input_gives_the_same_json() -> None:
    case = CASES["renamed inconsistently"]
    first, second = (evaluate_recording(case.predicted, case.truth, rename=True).as_json() for _ in range(2))
    assert first == second
    assert list(first) == list(second)
