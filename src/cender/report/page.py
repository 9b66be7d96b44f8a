"""The page: one HTML file that needs nothing else."""

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import cender
from cender.report.html import Html, join, tag


class Section(NamedTuple):
    """A section of the page: its anchor, its heading and its content."""

    anchor: str
    heading: str
    content: Html


def write_page(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """The whole document, with its style inside; nothing in it is loaded from elsewhere and nothing in it runs."""
    links = [tag("li", tag("a", one.heading, href=f"#{one.anchor}")) for one in sections]
    nav = tag("nav", tag("ol", *links), aria_label="sections of this page")
    body = [
        tag("section", tag("h2", one.heading, id=f"{one.anchor}-title"), one.content, id=one.anchor,
            aria_labelledby=f"{one.anchor}-title")
        for one in sections
    ]  # fmt: skip
    header = tag(
        "header", tag("p", "cender report", class_="kicker"), tag("h1", title), tag("p", subtitle, class_="source")
    )
    footer = tag(
        "footer",
        tag("p", f"Made by cender {cender.__version__}. The figures are in the folder figures beside this page."),
    )
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · cender"),
        tag("style", load_style()),
    )
    skip = tag("a", "Skip to the content", href="#content", class_="skip")
    main = tag("main", *body, id="content")
    document = tag(
        "html", tag("head", head), tag("body", skip, header, tag("div", nav, main, class_="frame"), footer), lang="en"
    )
    return f"<!DOCTYPE html>\n{document}\n"


def load_style() -> Html:
    """The style sheet, which is ours and therefore markup."""
    return Html(files("cender.report").joinpath("style.css").read_text(encoding="utf-8"))
