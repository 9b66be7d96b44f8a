"""The list of formats, and how one is chosen: add a format by adding its file and one line here."""

from difflib import get_close_matches
from pathlib import Path

from cender.errors import UnsupportedFormat
from cender.io.exchange.arrays import ARRAYS
from cender.io.exchange.authors.benchmark import BENCHMARK
from cender.io.exchange.authors.boxes import BOXES
from cender.io.exchange.authors.heads import HEADS
from cender.io.exchange.authors.results import RESULTS
from cender.io.exchange.authors.rois import ROIS
from cender.io.exchange.fdnc import FDNC
from cender.io.exchange.format import ExchangeFormat
from cender.io.exchange.geff_file import GEFF
from cender.io.exchange.napari_points import NAPARI
from cender.io.exchange.nerve import NERVE
from cender.io.exchange.nwb.format import NWB
from cender.io.exchange.points import POINTS
from cender.io.exchange.regions import REGIONS
from cender.io.exchange.tables import TABLE
from cender.io.exchange.traces import TRACES
from cender.io.exchange.trackmate import TRACKMATE
from cender.io.exchange.truth import TRUTH
from cender.io.exchange.zephir import ZEPHIR

EXCHANGE_FORMATS: tuple[ExchangeFormat, ...] = (
    NWB, ZEPHIR, *TRACES, NAPARI, TRACKMATE, GEFF, NERVE, FDNC, ARRAYS, BOXES, RESULTS, ROIS, BENCHMARK, HEADS,
    REGIONS, TABLE, POINTS, TRUTH,
)  # fmt: skip
"""The first that recognizes a path is taken, so that special ones stand before general ones."""


def choose_format(path: Path, name: str | None = None, writing: bool = False) -> ExchangeFormat:
    """The format of this name, else the first that recognizes the path."""
    names = [one.name for one in EXCHANGE_FORMATS]
    if name is not None:
        if name in names:
            return EXCHANGE_FORMATS[names.index(name)]
        near = get_close_matches(name, names, 1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        raise UnsupportedFormat(f"unknown format {name!r}; {meant}")
    able = [one for one in EXCHANGE_FORMATS if (one.save if writing else one.load)]
    # A file that is there may be of a format that can only be written; a name to write under is of none that cannot.
    for one in able if writing else EXCHANGE_FORMATS:
        if one.recognize(path):
            return one
    alike = [one for one in able if path.suffix and path.suffix.lower() in one.title.lower()]
    listed = "\n".join(f"  {one.name:<18} {one.title}" for one in alike or able)
    raise UnsupportedFormat(
        f"{path}: the name does not say which format it is; give it with --format. "
        + (f"Files that end in {path.suffix}:" if alike else "There are:")
        + f"\n{listed}"
    )
