"""Identities of one animal carried to another of which nothing is annotated, as `cender run --template` does it.

``python -m cender.bench.identity.carried`` fits how far such identities can be trusted, on pairs of simulated animals.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from cender.bench.identity.across import LearnAcross
from cender.bench.identity.data import make_subject
from cender.bench.identity.measure import Measurement, Recognize
from cender.bench.identity.methods import METHODS, Method, choose_method
from cender.bench.identity.pairs import Pace, Trial, draw_annotated, measure_pairs
from cender.bench.identity.split import Split, thin_volumes
from cender.bench.identity.subject import Subject
from cender.config import Config
from cender.pipeline.recording.recognizer.identify import build_foreign, measure_fit, recognize_untrusted
from cender.pipeline.recording.recognizer.learn import train_weights
from cender.recognize.foreign import ForeignTrust, describe_foreign, mirror
from cender.simulate import SimulateParams, simulate_recording
from cender.simulate.params import Preset
from cender.training.logistic import fit_logistic
from cender.types import Annotation, Weights

Carry = Callable[[Sequence[Annotation], Sequence[Annotation], int], Recognize]
"""Annotated volumes of animal A, its other volumes, seed."""
# Simulated pairs that trust is fitted on: preset, seeds of both animals, annotated volumes of the first.
PAIRS: tuple[tuple[Preset, int, int, int], ...] = (
    ("typical", 5100, 5101, 1),
    ("hard", 5106, 5107, 1),
    ("easy", 5108, 5109, 1),
)
VOLUMES, TESTED = 20, 8
"""Simulated volumes of the template animal, and of the animal that its identities are carried to."""


def make_carrier(method: Method, config: Config) -> Carry:
    """How a method learns from one animal what it then says about another."""
    chosen = choose_method(config, method)
    return lambda annotated, rest, seed: build_foreign(train_weights(annotated, rest, chosen, seed), chosen)


def make_head_learner(config: Config) -> LearnAcross:
    """How ours recognizes other heads by one named head: as `cender run --template` does, from it alone."""
    carry = make_carrier("default", config)
    return lambda teachers, template, recording, seed: carry([template], [], seed)


def measure_carried(
    pairs: Sequence[tuple[Subject, Subject]], method: tuple[str, Carry], train: int, pace: Pace | None = None
) -> Measurement:
    """Learn from annotated volumes of animal A and identify all neurons of animal B, of which nothing is annotated.

    A number has to mean the same neuron in both, as it does in simulated animals.
    """
    name, carry = method
    pace = pace or Pace()

    def prepare(first: Subject, second: Subject, number: int) -> Trial:
        annotated, rest = _draw(first, train, pace.seed, number)
        split = Split((), thin_volumes(sorted(second.seen), pace.at_most))
        return Trial(split, lambda: carry(annotated, rest, pace.seed + number), annotated)

    return measure_pairs(pairs, name, train, "template", prepare, pace)


def _draw(subject: Subject, train: int, seed: int, number: int) -> tuple[list[Annotation], list[Annotation]]:
    drawn = draw_annotated(subject, train, seed, number)
    rest = [one for volume, one in subject.seen.items() if volume not in drawn.train]
    return [subject.taught[volume] for volume in drawn.train], rest


def gather_identities(
    weights: Weights, config: Config, tested: Subject
) -> tuple[Float[np.ndarray, "n 3"], Bool[np.ndarray, " n"]]:
    """What is known of every identity that weights of another animal give, and whether it is right."""
    volumes, recognize = sorted(tested.seen), recognize_untrusted(weights, config)
    seen = [tested.seen[volume] for volume in volumes]
    answers = recognize(seen)
    fit = measure_fit(seen, recognize) if config.recognize.method == "default" else 0.0
    known = [one.identity >= 0 for one in answers]
    right = [one.identity == tested.taught[volume].identity for volume, one in zip(volumes, answers, strict=True)]
    features = [rows[given] for rows, given in zip(describe_foreign(answers, fit), known, strict=True)]
    return np.concatenate(features), np.concatenate([one[given] for one, given in zip(right, known, strict=True)])


def fit_trust(features: Float[np.ndarray, "n 3"], right: Bool[np.ndarray, " n"]) -> ForeignTrust:
    """How far identities are to be trusted, held lightly to the probabilities that they have."""
    own, fit, constant = fit_logistic(features, right, np.array([1.0, 0.0, 0.0]), np.ones(3)).round(3).tolist()
    return ForeignTrust(own, fit, constant)


def _simulate_pairs() -> Iterator[tuple[Subject, Subject, int]]:
    for preset, first, second, train in PAIRS:
        params = SimulateParams(preset=preset, seed=first, volumes=VOLUMES)
        teacher = make_subject(simulate_recording(params).truth(), first)
        other = params.model_copy(update={"seed": second, "volumes": TESTED})
        yield teacher, make_subject(simulate_recording(other).truth(), second), train


def _mirror(subject: Subject) -> Subject:
    return replace(subject, seen={volume: mirror(one) for volume, one in subject.seen.items()})


def main() -> None:
    """Print the weights of both methods."""
    gathered: dict[Method, list[tuple[np.ndarray, np.ndarray]]] = {method: [] for method in METHODS}
    for teacher, tested, train in _simulate_pairs():
        annotated, rest = _draw(teacher, train, 0, 0)
        for method in METHODS:
            config = choose_method(Config(), method)
            weights = train_weights(annotated, rest, config)
            # An animal that no template fits teaches what identities look like that mean nothing.
            for seen in (tested, _mirror(tested)) if method == "default" else (tested,):
                gathered[method].append(gather_identities(weights, config, seen))
                right = gathered[method][-1][1]
                print(f"{method}: {len(right)} identities, {100 * right.mean():.1f} % right", flush=True)
    for method, parts in gathered.items():
        features, right = (np.concatenate(part) for part in zip(*parts, strict=True))
        print(f"{method}: {fit_trust(features, right)}", flush=True)


if __name__ == "__main__":
    main()
