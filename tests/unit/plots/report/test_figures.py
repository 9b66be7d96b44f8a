"""Figures of the report: what a panel shows is written on it, with scale bars and a line from a label to its box."""

import numpy as np
import pytest
from matplotlib.axes import Axes

from cender.plots.report.activity import draw_traces
from cender.plots.report.frames import Sample, draw_sample
from cender.plots.report.passage import Passage, draw_passage
from cender.types import Crop, Regions, Traces

CROP = Crop(4, 6, 60, 40)
CENTRE = np.array([[1.0, 14.0, 12.0], [1.0, 30.0, 48.0], [2.0, 22.0, 30.0]])


def make_sample(pixel_um: float | None = 0.5, green: bool = True) -> Sample:
    """Three neurons, the last without an identity; the first two in frame 1."""
    boxes = np.column_stack([CENTRE[:, 2] - 2, CENTRE[:, 1] - 2, np.full((3, 2), 5.0)])
    regions = Regions.from_boxes(CENTRE[:, 0].astype(int), boxes, neuron=np.arange(3))
    image = np.random.default_rng(0).integers(0, 900, (4, 60, 80)).astype(np.uint16)
    sure, identity = np.array([0.9, 0.8, np.nan]), np.array([17, 23, -1])
    return Sample("volume 3", CROP, CENTRE, identity, regions, sure, image, image if green else None, pixel_um)


def read_texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_a_sample_shows_green_beside_red_then_frames_with_labels_and_scale_bars() -> None:
    figure, hovers = draw_sample(make_sample(), [1, 2], lambda identity: {17: "AVAL"}.get(identity, str(identity)))
    assert figure.get_suptitle() == "volume 3"
    red, green, first, second = figure.axes
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == ["red: 2 of 3 with identity", "green", "frame 1: 2 boxes", "frame 2: 1 box"]
    assert all("10 µm" in read_texts(ax) for ax in figure.axes)
    bar = red.lines[-1].get_xdata()
    assert bar[1] - bar[0] == pytest.approx(10 / 0.5), "in pixels"
    assert set(read_texts(first)) == {"AVAL", "23", "10 µm"}
    assert set(read_texts(second)) == {"10 µm"}, "no identity, no label"
    # A leader line starts at the neuron and ends outside of the picture, beside its label.
    starts = {(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in first.lines[:-1]}
    assert starts == {(12.0, 14.0), (48.0, 30.0)}
    ends = sorted(float(line.get_xdata()[-1]) for line in first.lines[:-1])
    assert ends[0] < CROP.x
    assert ends[1] > CROP.x + CROP.w
    assert not green.lines[:-1]
    words = [hover.words for hover in hovers if hover.ax is red]
    assert words == ["AVAL (identity 17), probability 0.90", "identity 23, probability 0.80", "no identity"]


def test_a_sample_says_no_more_than_is_known() -> None:
    figure, _ = draw_sample(make_sample(pixel_um=None, green=False), [1], str)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["red: 2 of 3 with identity", "frame 1: 2 boxes"]
    assert not any("µm" in text for ax in figure.axes for text in read_texts(ax))


def test_traces_are_labelled_with_what_they_are() -> None:
    time_s = np.arange(8) / 4
    values = np.tile(np.sin(time_s), (3, 1))
    sure = np.full((3, 8), 0.9)
    sure[1, :3] = 0.5
    values[2, 5:] = np.nan
    valid = np.isfinite(values)
    traces = Traces(np.array([3, 5, 9]), np.arange(8), time_s, values, values, values, values, sure, valid)
    figure = draw_traces(traces, [1, 2], lambda identity: f"#{identity}", 0.8, "ΔR/R0, smoothed")
    assert figure.get_supylabel() == "ΔR/R0, smoothed"
    unsure, gap = figure.axes
    assert [unsure.get_ylabel(), gap.get_ylabel()] == ["#5", "#9"]
    assert gap.get_xlabel() == "time (s)"
    orange = next(line for line in unsure.lines if line.get_marker() == ".")
    assert np.isfinite(orange.get_ydata()).tolist() == [True] * 3 + [False] * 5
    bands = [sum(len(one.get_paths()) for one in ax.collections) for ax in (unsure, gap)]
    assert bands == [0, 1], "grey where nothing is known"


@pytest.mark.parametrize("green", [True, False])
def test_a_passage_shows_both_channels_above_the_trace(green: bool) -> None:
    times, clock = np.array([0.0, 1.5, 3.25]), np.arange(14) / 4
    patches = np.random.default_rng(1).uniform(0, 500, (3, 21, 21))
    second = patches if green else None
    passage = Passage(
        "#7 through the recording", "time (s)", times, patches, second, 0.5, clock, np.sin(clock), "ΔR/R0"
    )
    figure = draw_passage(passage)
    assert figure.get_suptitle() == "#7 through the recording"
    pictures, trace = figure.axes[:-1], figure.axes[-1]
    assert len(pictures) == 6 if green else 3
    assert [ax.get_title() for ax in pictures[:3]] == ["0", "1.5", "3.25"]
    assert [ax.get_ylabel() for ax in pictures if ax.get_ylabel()] == ["red", "green"][: 1 + green]
    assert read_texts(pictures[0]) == ["5 µm"]
    bar = pictures[0].lines[0].get_xdata()
    assert bar[1] - bar[0] == pytest.approx(5 / 0.5)
    assert (trace.get_xlabel(), trace.get_ylabel()) == ("time (s)", "ΔR/R0")
    marked = [float(line.get_xdata()[0]) for line in trace.lines if len(set(line.get_xdata())) == 1]
    assert marked == times.tolist(), "the times of the pictures"
