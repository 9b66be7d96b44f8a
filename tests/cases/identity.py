"""Cases of identities, their probabilities and traces: each with its figures worked out by hand."""

from dataclasses import replace

from cases.building import Case, Neuron, errors, recording, volume

A, B, C, D = (Neuron(x, identity=number) for number, x in enumerate((0.0, 8.0, 16.0, 24.0)))


def _identify(neuron: Neuron, identity: int, probability: float = 1.0) -> Neuron:
    return replace(neuron, identity=identity, probability=probability)


def identity_swap() -> Case:
    expected = {**errors("identity", swapped=2), "identity.accuracy": 0, "identity.recall_at_95_strict": 0}
    story = "Two neurons have each other's identity."
    predicted = recording(volume(0, _identify(A, 1), _identify(B, 0)))
    return Case("identity swap", story, recording(volume(0, A, B)), predicted, expected)


def identity_rotation() -> Case:
    expected = {**errors("identity", misplaced=3), "identity.accuracy": 0}
    story = "Three identities moved on by one: each is given to another neuron."
    predicted = recording(volume(0, _identify(A, 1), _identify(B, 2), _identify(C, 0)))
    return Case("identity rotation", story, recording(volume(0, A, B, C)), predicted, expected)


def identity_wrong() -> Case:
    expected = {**errors("identity", right=1, wrong=1), "identity.accuracy": 1 / 2}
    story = "One neuron is given a number that belongs to no neuron here."
    return Case("identity wrong", story, recording(volume(0, A, B)), recording(volume(0, A, _identify(B, 9))), expected)


def identity_refused() -> Case:
    expected = {
        **errors("identity", right=1, refused=1),
        "identity.accuracy": 1 / 2,
        "identity.recall_at_95_strict": 1 / 2,
        # The only identity that was given is right, and was given with certainty.
        "identity.calibration_error": 0,
    }
    story = "One neuron is found but not recognized: wrong for the accuracy, harmless for precision."
    predicted = recording(volume(0, A, _identify(B, -1)))
    return Case("identity refused", story, recording(volume(0, A, B)), predicted, expected)


def identity_misplaced() -> Case:
    expected = {
        **errors("identity", misplaced=1),
        "identity.accuracy": 0,
        "identity.recall_at_95_strict": 0,
        "identity.calibration_error": 0.9,
    }
    story = "The identity is given, with probability 0.9, to the unlabelled neighbour."
    truth = recording(volume(0, A, _identify(B, -1)))
    predicted = recording(volume(0, _identify(A, -1), _identify(B, 0, 0.9)))
    return Case("identity misplaced on unlabelled neighbour", story, truth, predicted, expected)


def unlabelled_neighbour_identified() -> Case:
    expected = {
        **errors("identity", right=1),
        "identity.accuracy": 1,
        "identity.recall_at_95_strict": 1,
        "identity.calibration_error": 0,
    }
    story = "An unlabelled neuron is given a number that is annotated nowhere: it cannot be called wrong."
    truth = recording(volume(0, A, _identify(B, -1)))
    predicted = recording(volume(0, A, _identify(B, 5, 0.6)))
    return Case("unlabelled neighbour identified", story, truth, predicted, expected)


def same_identity_twice() -> Case:
    expected = {
        **errors("detection", false=1),
        **errors("identity", right=1),
        "identity.accuracy": 1,
        # Every cut that keeps the right identity (0.9) keeps the false one (0.95): at best 1 of 2 is right.
        "identity.recall_at_95_strict": 0,
        "identity.calibration_error": (0.95 + 0.1) / 2,
    }
    story = "A false detection has the same identity with a higher probability: accurate, but not trustworthy."
    predicted = recording(volume(0, _identify(A, 0, 0.9), _identify(B, 0, 0.95)))
    return Case("same identity twice", story, recording(volume(0, A)), predicted, expected)


def probability_cut() -> Case:
    expected = {
        **errors("identity", right=3, wrong=1),
        "identity.accuracy": 3 / 4,
        "identity.recall_at_95_strict": 2 / 4,
        "identity.calibration_error": (0.1 + 0.2 + 0.7 + 0.4) / 4,
    }
    story = "Right at 0.9 and 0.8, wrong at 0.7, right at 0.6: a cut that is 95 % right keeps the first two."
    given = [_identify(A, 0, 0.9), _identify(B, 1, 0.8), _identify(C, 9, 0.7), _identify(D, 3, 0.6)]
    return Case("probability cut", story, recording(volume(0, A, B, C, D)), recording(volume(0, *given)), expected)


def identity_not_in_training() -> Case:
    expected = {
        **errors("identity", right=1, refused=1),
        "identity.accuracy": 1,
        "identity.accuracy_all": 1 / 2,
        "identity.worst_5pct": 1,
    }
    story = "The second neuron does not occur in training: not knowable, but counted in accuracy_all."
    predicted = recording(volume(0, A, _identify(B, -1)))
    return Case(
        "identity not in training",
        story,
        recording(volume(0, A, B)),
        predicted,
        expected,
        {"known": frozenset({0})},
    )


def renamed_consistently() -> Case:
    expected = {
        **errors("identity", right=4),
        "identity.accuracy": 1,
        "identity.kept": 1,
        "traces.complete": 1,
        "provenance.renamed": 1,
    }
    story = "Two volumes with numbers of their own, the same in both: one renaming makes all right."
    seven, eight = _identify(A, 7), _identify(B, 8)
    truth = recording(volume(0, A, B), volume(1, A, B))
    predicted = recording(volume(0, seven, eight), volume(1, eight, seven))
    return Case("two volumes renamed consistently", story, truth, predicted, expected, {"rename": True})


def renamed_inconsistently() -> Case:
    expected = {
        **errors("identity", right=4, swapped=2),
        "identity.accuracy": 4 / 6,
        "identity.worst_5pct": 0,
        "identity.kept": 2 / 6,
        "traces.complete": 0,
    }
    story = "The numbers change places in the third volume: one renaming cannot serve both."
    seven, eight = _identify(A, 7), _identify(B, 8)
    truth = recording(*(volume(index, A, B) for index in range(3)))
    predicted = recording(volume(0, seven, eight), volume(1, seven, eight), volume(2, _identify(A, 8), _identify(B, 7)))
    return Case("renamed inconsistently", story, truth, predicted, expected, {"rename": True})


def traces_compared() -> Case:
    expected = {
        # The first trace is scaled by two (correlation 1), the second is upside down (-1): their median is 0.
        "traces.correlation": 0,
        "traces.complete": 1,
    }
    story = "Three traces: one scaled (correlation 1), one upside down (-1), one that varies by 2 % (left out)."
    wave, flat = (1.0, 2.0, 1.0, 2.0), (1.0, 1.02, 1.0, 1.02)
    true = {(0, t): v for t, v in enumerate(wave)} | {(1, t): v for t, v in enumerate(wave)}
    true |= {(2, t): v for t, v in enumerate(flat)}
    ours = {(0, t): 2 * v for t, v in enumerate(wave)} | {(1, t): 3 - v for t, v in enumerate(wave)}
    ours |= {(2, t): 3 - v for t, v in enumerate(flat)}
    volumes = [volume(index, A, B, C) for index in range(4)]
    return Case("traces", story, recording(*volumes, ratio=true), recording(*volumes, ratio=ours), expected)


def trace_missing() -> Case:
    expected = {"traces.correlation": 1 / 2, "traces.complete": 1 / 2}
    story = "One of two varying neurons is never identified: its trace counts as 0, the median is 1/2."
    wave = (1.0, 2.0, 1.0, 2.0)
    true = {(n, t): v for n in (0, 1) for t, v in enumerate(wave)}
    ours = {(0, t): v for t, v in enumerate(wave)}
    truth = recording(*(volume(index, A, B) for index in range(4)), ratio=true)
    predicted = recording(*(volume(index, A, _identify(B, -1)) for index in range(4)), ratio=ours)
    return Case("trace missing", story, truth, predicted, expected)


BUILDERS = (
    identity_swap,
    identity_rotation,
    identity_wrong,
    identity_refused,
    identity_misplaced,
    unlabelled_neighbour_identified,
    same_identity_twice,
    probability_cut,
    identity_not_in_training,
    renamed_consistently,
    renamed_inconsistently,
    traces_compared,
    trace_missing,
)
