"""How right a prediction is: match, classify the errors, measure, say where the figures come from."""

from cender.evaluate.match import Matching, match_boxes, match_centres, match_neurons
from cender.evaluate.pairing import Pairing, pair_volume, pair_volumes
from cender.evaluate.recording import evaluate_recording
from cender.evaluate.result import Provenance, Result

__all__ = [
    "Matching",
    "Pairing",
    "Provenance",
    "Result",
    "evaluate_recording",
    "match_boxes",
    "match_centres",
    "match_neurons",
    "pair_volume",
    "pair_volumes",
]
