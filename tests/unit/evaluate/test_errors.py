"""Errors by kind: each mistake counted once."""

from cases.building import Neuron, volume
from cender.evaluate import pair_volume
from cender.evaluate.errors import classify_detections, classify_identities
from cender.types import Annotation


def kinds(truth: Annotation, predicted: Annotation) -> dict[str, int]:
    return {kind: count for kind, count in classify_detections(pair_volume(predicted, truth)).items() if count}


def test_neuron_in_many_pieces_is_one_split() -> None:
    pieces = [Neuron(0, frames=(z,)) for z in range(4)]
    assert kinds(volume(0, Neuron(0, frames=range(4))), volume(0, *pieces)) == {"split": 1}


def test_large_box_over_a_neuron_that_is_found_merges_nothing() -> None:
    truth = volume(0, Neuron(0), Neuron(4))
    assert kinds(truth, volume(0, Neuron(0, size=8))) == {"merged": 1}
    assert kinds(truth, volume(0, Neuron(0, size=8), Neuron(4))) == {}


def test_merged_neurons_with_a_false_one_beside() -> None:
    truth = volume(0, Neuron(0), Neuron(4), Neuron(20))
    assert kinds(truth, volume(0, Neuron(0, size=8), Neuron(40))) == {"merged": 1, "missed": 1, "false": 1}


def test_splits_and_merges_of_centres() -> None:
    whole = volume(0, Neuron(0), boxes=False)
    halves = volume(0, Neuron(-1), Neuron(1), boxes=False)
    assert kinds(whole, halves) == {"split": 1}
    assert kinds(halves, whole) == {"merged": 1}


def test_nothing_is_false_where_not_all_is_annotated() -> None:
    extra = volume(0, Neuron(0), Neuron(8))
    assert kinds(volume(0, Neuron(0)), extra) == {"false": 1}
    assert kinds(volume(0, Neuron(0), complete=False), extra) == {}


def test_identities_of_unlabelled_neurons_have_no_kind() -> None:
    pairing = pair_volume(volume(0, Neuron(0, identity=3)), volume(0, Neuron(0)))
    assert classify_identities(pairing).tolist() == [""]


def test_volume_without_prediction_misses_all() -> None:
    pairing = pair_volume(None, volume(5, Neuron(0, identity=3)))
    assert pairing.missing
    assert classify_identities(pairing).tolist() == ["missed"]
