"""How figures of the report look: light ground for page and paper, colours that the colour-blind can tell apart."""

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image

INK, QUIET, FAINT, GROUND = "#1c2733", "#55636f", "#d5dbe1", "#ffffff"
BLUE, ORANGE, RED, GREEN, GREY = "#1f5fa8", "#d98200", "#b3261e", "#1b7f5c", "#9aa5b0"
STATUS = {"ok": GREEN, "flagged": ORANGE, "failed": RED}
WIDE_IN, HALF_IN = 9.5, 5.4
"""Widths of a figure over the whole page and over half of it."""
_PNG_DPI = 200
"""Resolution of PNG files that are no photographs."""
_SETTINGS: dict[str, Any] = {
    "font.size": 10,
    "text.color": INK,
    "text.parse_math": False,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.titlecolor": INK,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.facecolor": GROUND,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "figure.facecolor": GROUND,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.2,
    "svg.hashsalt": "cender",
}


class Hover(NamedTuple):
    """What to say where a pointer rests: the axes, a box in their data (``x y x y``), and the words."""

    ax: Axes
    box: tuple[float, float, float, float]
    words: str


class Spot(NamedTuple):
    """The same on the finished picture, in shares of its width and height from the upper left corner."""

    x: float
    y: float
    w: float
    h: float
    words: str


class Picture(NamedTuple):
    """A figure ready to be written: the same drawing as PNG and as SVG, its width on a page in pixels, its spots."""

    png: bytes
    svg: bytes
    width_px: int
    spots: tuple[Spot, ...] = ()


def lighten() -> AbstractContextManager[None]:
    """A context in which new axes have the looks of the report."""
    return rc_context(_SETTINGS)  # type: ignore[arg-type]


def start_light_figure(width_in: float, height_in: float) -> Figure:
    """An empty light figure; draw on it inside `lighten`."""
    figure = Figure(figsize=(width_in, height_in), layout="constrained", facecolor=GROUND)
    FigureCanvasAgg(figure)
    return figure


def render_figure(figure: Figure, hovers: Sequence[Hover] = (), *, photograph: bool = False) -> Picture:
    """A figure as PNG and SVG, byte for byte the same for the same drawing.

    A photograph is kept in 256 colours, which the noise of a microscope does not miss.
    """
    with lighten(), warnings.catch_warnings():
        # A cell name may be written in any script; a box in the place of a letter is no reason to stop.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        # Both drawings share one layout, which takes as long as drawing does; `Figure.savefig` would draw twice.
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
        figure.set_layout_engine("none")
        figure.set_dpi(150 if photograph else _PNG_DPI)
        canvas, svg = FigureCanvasAgg(figure), BytesIO()
        canvas.draw()  # type: ignore[no-untyped-call]
        pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        png = _compress(Image.fromarray(pixels), photograph)
        figure.set_dpi(_PNG_DPI)
        about = {"Date": None, "Creator": "cender"}
        FigureCanvasSVG(figure).print_svg(svg, metadata=about)  # type: ignore[no-untyped-call]
        spots = tuple(spot for one in hovers if (spot := _place_spot(figure, one)) is not None)
    return Picture(png, svg.getvalue(), round(96 * figure.get_figwidth()), spots)


def _place_spot(figure: Figure, one: Hover) -> Spot | None:
    """Where a hover lies on the picture, cut off at its axes; None where nothing of it is to be seen."""
    left, low, right, high = one.box
    corners = figure.transFigure.inverted().transform(one.ax.transData.transform([(left, low), (right, high)]))
    frame = one.ax.get_position()
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    x0, x1, y0, y1 = max(x0, frame.x0), min(x1, frame.x1), max(y0, frame.y0), min(y1, frame.y1)
    if x1 <= x0 or y1 <= y0:
        return None
    return Spot(float(x0), float(1 - y1), float(x1 - x0), float(y1 - y0), one.words)


def _compress(drawn: Image.Image, photograph: bool) -> bytes:
    """A drawing as PNG, a photograph in 256 colours."""
    if photograph:
        drawn = drawn.convert("RGB").quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    out = BytesIO()
    drawn.save(out, format="PNG")
    return out.getvalue()
