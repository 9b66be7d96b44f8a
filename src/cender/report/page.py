"""The page: one HTML file that needs nothing else."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
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
    """The whole document, with its style and its script inside.

    Nothing in it is loaded from elsewhere, and nothing runs but our own script, which the policy names by its hash.
    """
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
        tag(
            "p",
            f"Made by cender {cender.__version__}. All of it is in this one file; the run folder has the figures as "
            "PNG and SVG in figures/.",
        ),
    )
    script = load_asset("zoom.js")
    digest = b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · cender"),
        tag("style", load_asset("style.css")),
    )
    skip = tag("a", "Skip to the content", href="#content", class_="skip")
    main = tag("main", *body, id="content")
    document = tag(
        "html",
        tag("head", head),
        tag("body", skip, header, tag("div", nav, main, class_="frame"), footer, tag("script", script)),
        lang="en",
    )
    return f"<!DOCTYPE html>\n{document}\n"


def load_asset(name: str) -> Html:
    """The style sheet or the script, which are ours and therefore markup."""
    return Html(files("cender.report").joinpath(name).read_text(encoding="utf-8"))
