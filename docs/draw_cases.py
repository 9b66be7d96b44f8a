"""Draws the cases of docs/evaluation.md and lists them there: ``python docs/draw_cases.py``."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from cender.plots.cases import draw_case

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

from cases.building import Case  # noqa: E402
from cases.catalogue import CASES  # noqa: E402

START, END = "<!-- cases: written by docs/draw_cases.py -->", "<!-- end of cases -->"


def name_file(case: Case) -> str:
    """File of a case's picture."""
    return re.sub(r"[^a-z0-9]+", "-", case.name.lower()).strip("-") + ".png"


def list_cases() -> str:
    """The cases as a table: picture, what it shows, its figures."""
    rows = ["| truth (blue) and prediction (orange) | what it shows | figures |", "|---|---|---|"]
    for case in CASES.values():
        picture = f"![{case.name}](figures/cases/{name_file(case)})"
        rows.append(f"| {picture} | **{case.name}**<br>{case.story} | {format_figures(case.expected)} |")
    return "\n".join(rows)


def format_figures(expected: Mapping[str, float | None]) -> str:
    """The expected figures, one group per line; kinds of error that do not occur are left out."""
    groups: dict[str, list[str]] = {}
    for path, value in expected.items():
        group, _, key = path.rpartition(".")
        if group.startswith("errors.") and not value:
            continue
        shown = "null" if value is None else f"{value:.4g}"
        groups.setdefault(group, []).append(f"{key} {shown}")
    return "<br>".join(f"`{group}` {', '.join(words)}" for group, words in groups.items())


def main() -> None:
    """Draw every case into docs/figures/cases and write the table into the page."""
    folder = DOCS / "figures" / "cases"
    folder.mkdir(parents=True, exist_ok=True)
    for case in CASES.values():
        # No software version in the file: the same picture is the same bytes.
        draw_case(case.truth, case.predicted).savefig(folder / name_file(case), metadata={"Software": None})
    page = DOCS / "evaluation.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{START}\n\n{list_cases()}\n\n{END}{after}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
