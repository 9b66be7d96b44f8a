"""Stage 2: a head in, regions out."""

from cender.detect.dense import detect_regions
from cender.detect.multi_field import detect_regions_paper
from cender.detect.params import DetectParams

__all__ = ["DetectParams", "detect_regions", "detect_regions_paper"]
