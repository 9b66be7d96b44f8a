"""Figures of the page and their captions: what is smoothed is called so, wherever it is drawn."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from matplotlib.figure import Figure

from cender.io import open_folder
from cender.plots.report.style import Picture
from cender.report import pictures
from cender.report.digest import digest_run
from cender.report.folder import read_folder
from cender.report.methods import write_methods

DRAWN = ("heat_map", "traces", "passage")


@pytest.mark.parametrize("smooth_s", [None, 0.5])
def test_smoothing_is_named_wherever_it_is_drawn(
    smooth_s: float | None, copy_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_run()
    if smooth_s is not None:
        run = open_folder(folder)
        columns = {"ratio_smooth": pl.col("ratio"), "dr_r0_smooth": pl.col("dr_r0")}
        run.save_table("traces", run.load_table("traces").with_columns(**columns))
        run.save_settings({"activity": {"smooth_s": smooth_s}})
    figures: list[Figure] = []

    def keep(figure: Figure, *_: object, **__: object) -> Picture:
        figures.append(figure)
        return Picture(b"", b"", 0)

    monkeypatch.setattr(pictures, "render_figure", keep)
    facts = read_folder(folder)
    digest = digest_run(facts)
    illustrations, gaps = pictures.draw_all(facts, digest)
    assert not gaps
    assert len(illustrations) == len(figures)
    captions = {one.name: one.caption for one in illustrations}
    words = "Every volume as measured, not smoothed" if smooth_s is None else "Smoothed over time (sd 0.5 s)"
    assert all(words in captions[name] for name in DRAWN), captions
    # Who has the picture alone reads it from the axis.
    labels = [label for figure in figures for label in read_labels(figure) if label.startswith("ΔR/R0")]
    assert labels == ["ΔR/R0" if smooth_s is None else "ΔR/R0, smoothed"] * len(DRAWN)
    said = (
        "nothing is smoothed over time"
        if smooth_s is None
        else "smoothed over time before the division (Gaussian, sd 0.5 s)"
    )
    assert said in write_methods(facts, digest.bleaching)


def read_labels(figure: Figure) -> list[str]:
    """Labels of all y axes of a figure, its own among them."""
    return [figure.get_supylabel(), *(ax.get_ylabel() for ax in figure.axes)]
