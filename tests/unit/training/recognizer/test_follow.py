"""A volume that a person recognized lacks neurons; where they come back, they get numbers of their own."""

import numpy as np

from cases.constellations import brief, make_head, see_head
from cender.io import shipped_weights
from cender.nets.constellation import build_matcher
from cender.recognize.model import Model, classify_neurons
from cender.training.recognizer.train import train_recognizer
from cender.training.shipped.matcher import KIND
from cender.types import Annotation

HEAD = make_head(60)
MISSED = 8
FILM = [see_head(HEAD, number, turn=0.1 * number, bend=0.05 * number, noise_um=0.2) for number in range(8)]


def drop(one: Annotation, first: int) -> Annotation:
    """The volume without the neurons of the lowest identities."""
    rows = np.flatnonzero(one.identity >= first)
    return Annotation.from_points(one.volume, one.centre_um[rows], one.identity[rows])


LOWEST = min(int(one.identity.min()) for one in FILM)
TAUGHT = drop(FILM[0], LOWEST + MISSED)


def learn(explore: int, taught: Annotation = TAUGHT) -> Model:
    params = brief(explore=explore, self_volumes=7).train_recognizer
    matcher = build_matcher(shipped_weights("matcher", KIND).arrays)
    hidden = [Annotation.from_points(one.volume, one.centre_um, np.full(len(one), -1)) for one in FILM[1:]]
    return train_recognizer([taught], hidden, params, matcher, 0)[1]


def count_followed(model: Model) -> float:
    """Share of the sights of the missed neurons that have the most frequent number of that neuron, a new one."""
    given: dict[int, list[int]] = {LOWEST + row: [] for row in range(MISSED)}
    for one in FILM[1:]:
        classes = classify_neurons(one, model).classes
        for identity, name in zip(one.identity.tolist(), classes.tolist(), strict=True):
            if identity in given:
                given[identity].append(name if name >= model.taught else -1)
    right = [sum(name == max(set(classes), key=classes.count) >= 0 for name in classes) for classes in given.values()]
    return sum(right) / sum(map(len, given.values()))


def test_neurons_that_the_annotated_volume_lacks_are_followed() -> None:
    without, follow = learn(0), learn(3)
    assert without.taught == len(without.identities) == len(TAUGHT)
    assert count_followed(without) == 0
    assert follow.taught == len(TAUGHT)
    assert count_followed(follow) > 0.6


def test_where_people_named_only_a_part_nothing_else_is_numbered() -> None:
    some = Annotation.from_points(
        TAUGHT.volume, TAUGHT.centre_um, np.where(np.arange(len(TAUGHT)) % 3 == 0, -1, TAUGHT.identity)
    )
    model = learn(3, some)
    assert model.taught == len(model.identities)
