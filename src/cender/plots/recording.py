"""Pictures of what was read of a recording, so that a wrong guess is seen at once."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Shaped
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, PowerNorm
from matplotlib.figure import Figure

from cender.types import Recording, Volume

_COLOURS = {"red": "#ff4030", "green": "#30d050", "other": "#ffffff"}
_LINES = ("#b03020", "#208030", "#7570b3", "#555555")


def draw_recording(recording: Recording, notes: Sequence[str] = ()) -> Figure:
    """A figure of the middle volume: every channel from above, its brightness along z, and notes.

    Parameters
    ----------
    recording
        What to look at; one volume of it is read.
    notes
        Lines under the pictures, for example what was assumed.
    """
    volume = recording.volume(len(recording) // 2)
    channels = volume.data.shape[0]
    figure = Figure(figsize=(4.2 * channels + 3.4, 4.6 + 0.18 * len(notes)), dpi=100, layout="constrained")
    axes = figure.subplots(1, channels + 1, squeeze=False, width_ratios=[4.2] * channels + [3.2])[0]
    for channel in range(channels):
        plot_projection(volume, channel, axes[channel])
    plot_profile(volume, axes[-1])
    figure.suptitle(f"{Path(recording.source).name}: volume {volume.index} of {len(recording)}", fontsize=11)
    if notes:
        figure.supxlabel("\n".join(notes), fontsize=8, x=0.01, ha="left")
    return figure


def save_recording_picture(recording: Recording, path: Path, notes: Sequence[str] = ()) -> None:
    """Write the figure of `draw_recording` into a file, PNG unless its suffix says otherwise."""
    draw_recording(recording, notes).savefig(path)


def plot_projection(volume: Volume, channel: int, ax: Axes) -> Axes:
    """Brightest value along z of one channel, from its background to its brightest 0.05 %, square roots drawn.

    A root, as photon noise suggests: beside the brightest neurons, those with a tenth of their light stay visible.
    """
    image = volume.data[channel].max(axis=0).astype(float)
    low, high = np.nanpercentile(image, [30, 99.95])
    role = "other" if volume.roles is None else volume.roles[channel]
    colours = LinearSegmentedColormap.from_list(role, ["#000000", _COLOURS[role]])
    norm = PowerNorm(0.5, vmin=low, vmax=max(high, low + 1e-6), clip=True)
    ax.imshow(image, cmap=colours, norm=norm, interpolation="nearest")
    name = f"channel {channel}" + ("" if volume.roles is None else f" = {role}")
    ax.set_title(f"{name}: maximum over z", fontsize=9)
    ax.set_xlabel("x (px)", fontsize=8)
    ax.set_ylabel("y (px)", fontsize=8)
    ax.tick_params(labelsize=7)
    if volume.voxel_um is not None:
        _draw_bar(ax, image, volume.voxel_um.x_um)
    return ax


def plot_profile(volume: Volume, ax: Axes) -> Axes:
    """Mean and 99.9th percentile of every frame, which rise and fall where the head is."""
    for channel, stack in enumerate(volume.data):
        role = "other" if volume.roles is None else volume.roles[channel]
        colour = {"red": _LINES[0], "green": _LINES[1]}.get(role, _LINES[2 + channel % 2])
        frames = np.arange(len(stack))
        mean, top = _profile(stack)
        ax.plot(frames, top, "o-", color=colour, markersize=3, label=f"channel {channel}, 99.9 %")
        ax.plot(frames, mean, "o--", color=colour, markersize=2, alpha=0.6, label=f"channel {channel}, mean")
    ax.set_title("brightness along z", fontsize=9)
    ax.set_xlabel("frame", fontsize=8)
    ax.set_ylabel("counts", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.legend(fontsize=7, frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _profile(stack: Shaped[np.ndarray, "z y x"]) -> tuple[list[float], list[float]]:
    return [float(f.mean()) for f in stack], [float(np.percentile(f, 99.9)) for f in stack]


def _draw_bar(ax: Axes, image: Shaped[np.ndarray, "y x"], pixel_um: float) -> None:
    height, width = image.shape
    length_um = next((um for um in (200, 100, 50, 20, 10, 5, 2, 1) if um / pixel_um < width / 3), 1)
    x = 0.05 * width
    ax.plot([x, x + length_um / pixel_um], [0.95 * height] * 2, color="white", linewidth=2)
    ax.text(x, 0.93 * height, f"{length_um} µm", color="white", fontsize=7)
