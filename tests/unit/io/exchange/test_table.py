"""The table of formats in the docs says what the registry says."""

from pathlib import Path

from cender.io.exchange.format import ExchangeFormat
from cender.io.exchange.formats import EXCHANGE_FORMATS

PAGE = Path(__file__).parents[4] / "docs/exchange.md"


def describe_format(one: ExchangeFormat) -> str:
    """The row of a format."""
    cells = (
        f"`{one.name}`",
        one.title,
        "yes" if one.load else "no",
        "yes" if one.save else "no",
        ", ".join(one.keeps) + (", images" if one.images else ""),
        ", ".join(one.loses) or "nothing",
        one.note,
    )
    return f"| {' | '.join(cells)} |".replace("  |", " |")


def test_every_format_has_its_row() -> None:
    rows = [describe_format(one) for one in EXCHANGE_FORMATS]
    page = PAGE.read_text(encoding="utf-8")
    listed = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 8]
    assert listed == rows, "\n".join(rows)
