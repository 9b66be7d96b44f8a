"""Fits how far identities of another animal's recognizer can be trusted, and measures that on others.

``python -m cender.bench.identity.trust HEADS`` learns from pairs of simulated animals and from the named heads of some
labs in a table (``lab, worm, x_um, y_um, z_um, name``), and tries the weights on other pairs and on other labs.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.bench.identity.carried import draw_template
from cender.bench.identity.data import make_subject
from cender.bench.identity.heads import load_named_heads
from cender.bench.identity.methods import METHODS, Method, choose_method
from cender.config import Config
from cender.evaluate.identity import GivenIdentities, measure_calibration_error
from cender.pipeline.recording.recognizer.identify import recognize_untrusted
from cender.pipeline.recording.recognizer.learn import train_weights
from cender.recognize.foreign import ForeignTrust, describe_foreign
from cender.simulate import SimulateParams, simulate_recording
from cender.simulate.params import Preset
from cender.training.logistic import fit_logistic
from cender.types import Annotation, Identities

Pair = tuple[Preset, int, int, int]
"""Preset, seeds of both animals, annotated volumes of the first."""
PAIRS: tuple[Pair, ...] = (("typical", 5100, 5101, 1), ("hard", 5106, 5107, 1), ("easy", 5108, 5109, 1))
"""Simulated animals that trust is fitted on."""
OTHER_PAIRS: tuple[Pair, ...] = (("typical", 5110, 5111, 1), ("hard", 5112, 5113, 1), ("typical", 5114, 5115, 5))
"""Simulated animals that it is tried on."""
LABS = ("SF", "SK1", "SK2")
"""Labs whose heads trust is fitted on; it is tried on those of the others."""
VOLUMES, TESTED = 20, 8
"""Simulated volumes of the template animal, and of the animal that its identities are carried to (heads: at most)."""
TEMPLATES = 2
"""Heads of a lab that are templates, one after the other."""
COUNTED = 300
"""How many identities every pair and every lab counts for, whatever it has."""

Cases = tuple[Float[np.ndarray, "_ 3"], Bool[np.ndarray, " _"]]
"""What is known of every identity that was given, and whether it is right."""


def gather_cases(answers: Sequence[Identities], truth: Sequence[Int[np.ndarray, " _"]]) -> Cases:
    """Identities that can be judged: those of labelled neurons, and those that belong to another neuron."""
    features, right = [np.zeros((0, 3))], [np.zeros(0, bool)]
    for one, known, rows in zip(answers, truth, describe_foreign(answers), strict=True):
        judged = (one.identity >= 0) & ((known >= 0) | np.isin(one.identity, known))
        features.append(rows[judged])
        right.append((one.identity == known)[judged])
    return np.concatenate(features), np.concatenate(right)


def fit_trust(parts: Sequence[Cases]) -> ForeignTrust:
    """How far identities are to be trusted, held lightly to the probabilities that they have; all parts count alike."""
    features, right = (np.concatenate(part) for part in zip(*parts, strict=True))
    share = np.concatenate([np.full(len(one), COUNTED / max(len(one), 1)) for _, one in parts])
    own, mean, constant = fit_logistic(features, right, np.array([1.0, 0.0, 0.0]), np.ones(3), share).tolist()
    return ForeignTrust(round(own, 3), round(mean, 3), round(constant, 3))


def carry_pair(pair: Pair, method: Method) -> Cases:
    """What the recognizer of a simulated animal says of another one."""
    preset, first, second, train = pair
    params = SimulateParams(preset=preset, seed=first, volumes=VOLUMES)
    annotated, rest = draw_template(make_subject(simulate_recording(params).truth(), first), train)
    other = params.model_copy(update={"seed": second, "volumes": TESTED})
    tested = make_subject(simulate_recording(other).truth(), second)
    return _carry(annotated, rest, [tested.seen[volume] for volume in sorted(tested.seen)], method, tested.taught)


def carry_heads(heads: Sequence[Annotation]) -> Cases:
    """What our recognizers of some heads of a lab say of its others."""
    parts = []
    for row in np.random.default_rng(0).permutation(len(heads))[:TEMPLATES]:
        others = [head for place, head in enumerate(heads) if place != row][:TESTED]
        parts.append(_carry([heads[int(row)]], [], others, "default", {head.volume: head for head in others}))
    features, right = (np.concatenate(part) for part in zip(*parts, strict=True))
    return features, right


def _carry(
    annotated: Sequence[Annotation],
    rest: Sequence[Annotation],
    tested: Sequence[Annotation],
    method: Method,
    truth: Mapping[int, Annotation],
) -> Cases:
    config = choose_method(Config(), method)
    answers = recognize_untrusted(train_weights(annotated, rest, config), config)(tested)
    return gather_cases(answers, [truth[one.volume].identity for one in tested])


def judge_trust(trust: ForeignTrust, cases: Cases) -> str:
    """How many identities are right, how many are expected to be, and the calibration error, in words."""
    features, right = cases
    probability = 1 / (1 + np.exp(-features @ trust.weights))
    error = measure_calibration_error(GivenIdentities(probability, right)) or 0.0
    return f"{100 * right.mean():.0f} % right, {100 * probability.mean():.0f} % expected, calibration error {error:.3f}"


def main(path: str) -> None:
    """Print the weights of both methods, and how they do on animals that they were not fitted to."""
    labs = load_named_heads(Path(path))
    for method in METHODS:
        fitted = {str(pair): carry_pair(pair, method) for pair in PAIRS}
        others = {str(pair): carry_pair(pair, method) for pair in OTHER_PAIRS}
        if method == "default":
            for lab, heads in labs.items():
                (fitted if lab in LABS else others)[lab] = carry_heads(heads)
        trust = fit_trust(list(fitted.values()))
        print(f"{method}: {trust}", flush=True)
        for words, group in (("fitted", fitted), ("not fitted", others)):
            for name, cases in group.items():
                print(f"  {words}, {name}: {judge_trust(trust, cases)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
