"""HTML by construction: whatever is not `Html` already is escaped, so that no name or message can become markup."""

from base64 import b64encode
from html import escape


class Html(str):
    """Text that is markup."""

    __slots__ = ()


Child = str | None
"""Text (escaped), `Html` (kept), or None (left out)."""
_VOID = frozenset({"img", "br", "meta", "hr"})


def tag(name: str, /, *children: Child, **attributes: str | None) -> Html:
    """An element; ``class_`` is ``class``, an underscore inside a name is a hyphen, None leaves an attribute out."""
    words = [name]
    for key, value in attributes.items():
        if value is not None:
            words.append(f'{key.rstrip("_").replace("_", "-")}="{escape(value, quote=True)}"')
    opening = f"<{' '.join(words)}>"
    return Html(opening) if name in _VOID else Html(f"{opening}{join(*children)}</{name}>")


def join(*children: Child) -> Html:
    """Children one after the other, each escaped unless it is markup."""
    return Html("".join(_render(child) for child in children if child is not None))


def table(
    headings: tuple[str, ...], rows: list[tuple[Child, ...]], caption: str, numeric: tuple[int, ...] = ()
) -> Html:
    """A table with a caption; columns in ``numeric`` are set flush right. It scrolls by itself where it is too wide."""

    def style(column: int) -> str | None:
        return "number" if column in numeric else None

    head = join(*(tag("th", word, scope="col", class_=style(i)) for i, word in enumerate(headings)))
    body = join(*(tag("tr", *(tag("td", cell, class_=style(i)) for i, cell in enumerate(row))) for row in rows))
    inside = join(tag("caption", caption), tag("thead", tag("tr", head)), tag("tbody", body))
    return tag("div", tag("table", inside), class_="wide", tabindex="0", role="region", aria_label=caption)


def list_items(items: list[Child], class_: str | None = None) -> Html:
    """An unordered list."""
    return tag("ul", *(tag("li", item) for item in items), class_=class_)


def embed(content: bytes, kind: str) -> str:
    """A file as an address that holds the file itself."""
    return f"data:{kind};base64,{b64encode(content).decode('ascii')}"


def _render(child: str | None) -> str:
    return str(child) if isinstance(child, Html) else escape(str(child), quote=True)
