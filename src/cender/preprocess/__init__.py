"""Stage 1: the head in one volume, with the worm's own axes."""

from cender.preprocess.head import find_head
from cender.preprocess.paper import find_head_paper
from cender.preprocess.params import PreprocessParams

__all__ = ["PreprocessParams", "find_head", "find_head_paper"]
