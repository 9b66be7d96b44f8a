"""Stage 4: neurons in, identities out."""

from cender.recognize.params import RecognizeParams
from cender.recognize.together import recognize_neurons

__all__ = ["RecognizeParams", "recognize_neurons"]
