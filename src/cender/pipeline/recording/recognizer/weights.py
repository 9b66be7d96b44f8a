"""A recognizer as weights: packed, unpacked, and what its file says of how it was taught."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import cender
from cender.config import Config
from cender.errors import ModelError
from cender.io.results.folder.fingerprints import hash_values
from cender.io.weights import load_weights
from cender.nets.constellation import Classifier, build_classifier, export_weights, make_score
from cender.recognize.confidence import Calibration
from cender.recognize.model import Model
from cender.recognize.references import References
from cender.types import Annotation, Weights

KIND, PAPER_KIND = "recognizer", "paper recognizer"


def load_recognizer(path: Path) -> Weights:
    """Weights of a recognizer, ours or the paper's."""
    return load_weights(path, KIND, PAPER_KIND)


def pack_recognizer(net: Classifier, model: Model, about: Mapping[str, str]) -> Weights:
    """A trained recognizer as arrays and text."""
    arrays = {f"net.{name}": value for name, value in export_weights(net).items()}
    arrays |= {
        "identities": model.identities.astype(np.int64),
        "named": np.array([model.taught]),
        "references.volume": model.references.volume.astype(np.int64),
        "references.position": model.references.position.astype(np.float32),
        "references.other": model.references.other.astype(np.float32),
        "calibration": model.calibration.weights,
        "quality": np.array([model.quality]),
    }
    return Weights(arrays, {"kind": KIND, "version": cender.__version__, "about": json.dumps(dict(about))})


def unpack_recognizer(weights: Weights) -> Model:
    """The recognizer of these weights."""
    arrays = weights.arrays
    try:
        identities = arrays["identities"]
        part = {key.removeprefix("net."): value for key, value in arrays.items() if key.startswith("net.")}
        net = build_classifier(part)
        references = References(
            arrays["references.volume"],
            arrays["references.position"].astype(float),
            arrays["references.other"].astype(float),
        )
        calibration = Calibration(arrays["calibration"])
        taught = int(arrays["named"][0])
        quality = float(arrays["quality"][0])
    except (KeyError, RuntimeError) as error:
        raise ModelError(f"this recognizer is not complete: {error}; train it again") from None
    return Model(make_score(net), identities, taught, references, calibration, quality)


def find_taught(config: Config) -> frozenset[int]:
    """The identities that people taught the recognizer of the settings; none where it has none or began with none."""
    if config.recognize.weights is None:
        return frozenset()
    weights = load_recognizer(Path(config.recognize.weights))
    if weights.metadata["kind"] != KIND:
        return frozenset(json.loads(weights.metadata["identities"]))
    about = json.loads(weights.metadata.get("about", "{}"))
    taught = int(weights.arrays["named"][0]) if about.get("annotated", "0") != "0" else 0
    return frozenset(weights.arrays["identities"][:taught].tolist())


def find_learnt(config: Config) -> frozenset[str]:
    """Names (as `hash_lesson` gives them) of the volumes that the recognizer of the settings learnt from."""
    if config.recognize.weights is None:
        return frozenset()
    weights = load_recognizer(Path(config.recognize.weights))
    return frozenset(str(json.loads(weights.metadata.get("about", "{}")).get("lessons", "")).split())


def hash_lesson(one: Annotation) -> str:
    """A name for what an annotated volume teaches: who is where, to a tenth of a micrometre."""
    rows = np.flatnonzero(one.identity >= 0)
    places = zip(one.identity[rows].tolist(), np.rint(one.centre_um[rows] * 10).astype(int).tolist(), strict=True)
    return hash_values({"lesson": sorted(places)})[:16]
