"""How our pictures look: dark ground, quiet axes, one colour for one meaning."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Real
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure, SubFigure
from PIL import Image

GROUND, PANEL = "#0d1117", "#010409"
TEXT, QUIET, FAINT = "#e6edf3", "#8b949e", "#30363d"
RED, GREEN, TRUTH, ACCENT = "#ff6b5e", "#56d364", "#58c4dd", "#f2cc60"
RED_MAP = LinearSegmentedColormap.from_list("cender-red", [PANEL, "#7a1f1a", RED, "#fff1e6"])
GREEN_MAP = LinearSegmentedColormap.from_list("cender-green", [PANEL, "#14532d", GREEN, "#f0fff4"])
GREY_MAP = LinearSegmentedColormap.from_list("cender-grey", [PANEL, "#6e7681", "#ffffff"])
HEAT_MAP = LinearSegmentedColormap.from_list("cender-heat", [PANEL, "#1b2a49", "#3b5b92", "#58c4dd", ACCENT, "#fffbe6"])
SETTINGS: dict[str, Any] = {
    "font.size": 9,
    "text.color": TEXT,
    "axes.labelcolor": QUIET,
    "axes.edgecolor": FAINT,
    "axes.titlecolor": TEXT,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.facecolor": PANEL,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": GROUND,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


def start_figure(width_in: float | int, height_in: float | int) -> Figure:
    """An empty dark figure; draw on it inside `styled`."""
    figure = Figure(figsize=(width_in, height_in), dpi=110, layout="constrained", facecolor=GROUND)
    FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=0.08, h_pad=0.08)  # type: ignore[call-arg]
    return figure


def split_figure(figure: Figure, heights: tuple[float, ...]) -> list[SubFigure]:
    """Parts of a figure one below the other, of these relative heights."""
    parts = np.atleast_1d(np.asarray(figure.subfigures(len(heights), 1, height_ratios=heights))).tolist()
    for part in parts:
        part.set_facecolor("none")
    return list(parts)


def styled() -> Any:
    """A context in which new axes have our looks."""
    return rc_context(SETTINGS)  # type: ignore[arg-type]


def show_image(
    image: Real[np.ndarray, "y x"],
    ax: Axes,
    limits: tuple[float, float] | None = None,
    colours: LinearSegmentedColormap = GREY_MAP,
) -> Axes:
    """An image without ticks, from its dark level to its bright spots where no limits are given."""
    low, high = limits or tuple(np.percentile(image, (25, 99.8)))
    ax.imshow(image, cmap=colours, vmin=low, vmax=max(high, low + 1), interpolation="nearest")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    return ax


def add_scale_bar(ax: Axes, pixel_um: float, length_um: float = 20.0) -> None:
    """A bar of this length in the lower right corner of an image."""
    left, right = sorted(ax.get_xlim())
    bottom, top = ax.get_ylim()
    end = right - 0.04 * (right - left)
    y = bottom - 0.06 * (bottom - top)
    ax.plot([end - length_um / pixel_um, end], [y, y], color=TEXT, lw=2, solid_capstyle="butt")
    middle, above = end - length_um / pixel_um / 2, y - 0.025 * (bottom - top)
    ax.text(middle, above, f"{length_um:g} µm", color=TEXT, fontsize=8, ha="center", va="bottom")


def save_figure(figure: Figure, path: Path, compact: bool = False) -> None:
    """Write a figure as PNG; a compact one has 256 colours, which a photograph of a microscope does not miss."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", facecolor=GROUND)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not compact:
        path.write_bytes(buffer.getvalue())
        return
    buffer.seek(0)
    with Image.open(buffer) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    out = BytesIO()
    small.save(out, format="PNG", optimize=True)
    path.write_bytes(out.getvalue())
