"""How long a volume takes, stage by stage."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cender.plots.report.style import BLUE, HALF_IN, INK, QUIET, lighten, start_light_figure


def draw_speed(stages: Mapping[str, tuple[float, float]]) -> Figure:
    """A bar for each stage; see `plot_speed`."""
    with lighten():
        figure = start_light_figure(HALF_IN, 0.38 * len(stages) + 0.9)
        plot_speed(stages, figure.subplots())
    return figure


def plot_speed(stages: Mapping[str, tuple[float, float]], ax: Axes) -> Axes:
    """Median milliseconds of each stage as a bar with its number, the 95th percentile as a thin line beyond."""
    names = list(stages)
    for row, (median, slow) in enumerate(stages.values()):
        ax.barh(row, median, color=BLUE, height=0.62)
        ax.plot([median, slow], [row, row], color=QUIET, lw=1)
        ax.annotate(
            f"{median:.3g} ms",
            (max(median, slow), row),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            color=INK,
        )
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.invert_yaxis()
    longest = max((max(pair) for pair in stages.values()), default=1.0)
    ax.set(xlim=(0, 1.22 * max(longest, 1e-9)), xlabel="milliseconds per volume", title="time by stage")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0, labelcolor=INK)
    return ax
