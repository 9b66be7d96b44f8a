"""What recognition must not depend on: the order of the neurons, where the head lies and points to, the numbers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cases.constellations import film_head, make_head
from cender.recognize import RecognizeParams, recognize_neurons
from cender.recognize.assign import assign_classes
from cender.recognize.confidence import Calibration
from cender.recognize.frame import place_points
from cender.recognize.model import Model
from cender.recognize.references import gather_references
from cender.types import Annotation, Identities

HEAD = make_head(30)
FILM = film_head(HEAD, 6)
COUNT = len(HEAD)
REFERENCE = place_points(FILM[0].centre_um)


def score_by_place(position: np.ndarray, evidence: np.ndarray) -> np.ndarray:
    """A network's part, played by distance: a neuron is what lies nearest in the first volume."""
    square = ((position[:, :, None] - REFERENCE[None, None]) ** 2).sum(axis=3)
    score = np.concatenate([-square / 0.003, np.full((*position.shape[:2], 1), -6.0)], axis=2)
    return score - np.log(np.exp(score).sum(axis=2, keepdims=True))


def make_model(identities: np.ndarray) -> Model:
    references = gather_references([99], [REFERENCE], [np.arange(len(REFERENCE))], len(REFERENCE))
    calibration = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))
    return Model(score_by_place, identities, len(identities), references, calibration)


MODEL = make_model(np.arange(len(REFERENCE)))


def recognize(volume: Annotation, model: Model = MODEL) -> Identities:
    return recognize_neurons([volume], model, RecognizeParams(refuse_below=0.05))[0]


@given(st.permutations(range(len(FILM[0]))))
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_neurons_does_not_matter(order: list[int]) -> None:
    plain = recognize(FILM[0])
    mixed = recognize(Annotation.from_points(0, FILM[0].centre_um[order]))
    assert (plain.identity >= 0).sum() > 20
    assert (mixed.identity == plain.identity[order]).all()
    np.testing.assert_allclose(mixed.probability, plain.probability[order], atol=1e-3)


@given(arrays(float, 3, elements=st.floats(-500, 500)), st.booleans())
@settings(max_examples=20, deadline=None)
def test_where_a_head_lies_and_which_end_comes_first_do_not_matter(shift: np.ndarray, turned: bool) -> None:
    signs = np.array([1, -1, -1] if turned else [1, 1, 1])
    moved = recognize(Annotation.from_points(0, FILM[0].centre_um * signs + shift))
    plain = recognize(FILM[0])
    assert (moved.identity == plain.identity).all()
    np.testing.assert_allclose(moved.probability, plain.probability, atol=1e-3)


@given(st.floats(-np.pi, np.pi))
@settings(max_examples=20, deadline=None)
def test_a_head_that_points_elsewhere_has_the_same_names(angle: float) -> None:
    cos, sin = np.cos(angle), np.sin(angle)
    turned = FILM[0].centre_um @ np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]]).T
    # The middle of the frame is a median along each axis, so that places and with them probabilities change a little.
    assert (recognize(Annotation.from_points(0, turned)).identity == recognize(FILM[0]).identity).all()


@given(st.integers(1, 1000), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_identities_are_names_and_no_quantities(scale: int, start: int) -> None:
    plain = recognize(FILM[1])
    other = recognize(FILM[1], make_model(start + scale * np.arange(len(REFERENCE))))
    assert (other.identity == np.where(plain.identity >= 0, start + scale * plain.identity, -1)).all()
    np.testing.assert_array_equal(other.probability, plain.probability)


@given(arrays(float, (7, 6), elements=st.floats(-9, 0)))
@settings(max_examples=60, deadline=None)
def test_no_name_is_given_twice(score: np.ndarray) -> None:
    classes = assign_classes(score)
    given_names = classes[classes >= 0]
    assert len(set(given_names.tolist())) == len(given_names)
    assert set(classes.tolist()) <= set(range(-1, 5))
