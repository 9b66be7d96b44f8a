"""Figures on the page: inside of it, to be enlarged, with words for what lies under the pointer."""

from collections.abc import Sequence

from cender.plots.report.style import Spot
from cender.report.html import Html, embed, join, tag
from cender.report.pictures import Illustration

SMALL_SVG = 400_000
"""Drawings of more bytes than this are shown as PNG: a browser is slow with long paths."""


def write_figures(illustrations: Sequence[Illustration], section: str) -> Html:
    """The figures of a section, each with its caption."""
    return join(*(_write_figure(one) for one in illustrations if one.section == section))


def _write_figure(one: Illustration) -> Html:
    small = len(one.picture.svg) <= SMALL_SVG and not one.photograph
    source = embed(one.picture.svg, "image/svg+xml") if small else embed(one.picture.png, "image/png")
    image = tag("img", src=source, alt=one.caption, width=str(one.picture.width_px))
    tools = tag("div", _button("in", "+", "enlarge"), _button("out", "−", "reduce"), _button("all", "⤢", "show all"),
                class_="tools", hidden="hidden")  # fmt: skip
    sheet = tag("div", image, _write_spots(one.picture.spots), class_="sheet")
    view = tag("div", sheet, tag("div", class_="tip", hidden="hidden"), class_="view")
    return tag("figure", view, tools, tag("figcaption", one.caption), id=f"figure-{one.name}")


def _button(what: str, sign: str, words: str) -> Html:
    return tag("button", sign, type="button", data_zoom=what, aria_label=words, title=words)


def _write_spots(spots: Sequence[Spot]) -> Html | None:
    """An invisible layer over the picture; without the script a browser shows the titles by itself."""
    if not spots:
        return None
    boxes = [
        tag(
            "rect", tag("title", one.words),
            x=f"{100 * one.x:.2f}", y=f"{100 * one.y:.2f}", width=f"{100 * one.w:.2f}", height=f"{100 * one.h:.2f}",
        )
        for one in spots
    ]  # fmt: skip
    return tag("svg", *boxes, class_="spots", viewbox="0 0 100 100", preserveaspectratio="none", aria_hidden="true")
