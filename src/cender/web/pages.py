"""The files of the page, read once when the server starts: no name from a browser ever becomes a path."""

from collections.abc import Mapping
from importlib.resources import files

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def load_pages() -> Mapping[str, tuple[bytes, str]]:
    """Content and kind of every file of the page, by name."""
    found = {}
    for one in (files("cender.web") / "static").iterdir():
        suffix = one.name[one.name.rfind(".") :]
        if suffix in KINDS:
            found[one.name] = (one.read_bytes(), KINDS[suffix])
    return found
