"""Stage 4: neurons in, identities out."""

from cender.recognize.model import recognize_neurons
from cender.recognize.params import RecognizeParams

__all__ = ["RecognizeParams", "recognize_neurons"]
