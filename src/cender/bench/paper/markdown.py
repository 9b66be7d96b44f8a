"""The paper's tables as a page of the documents, with where every figure of ours comes from."""

from collections.abc import Mapping, Sequence

from cender.bench.paper.inputs import compare_inputs
from cender.bench.paper.table import Table
from cender.io.measured import Measured

HEAD = """# The paper's tables, with ours beside them

Printed by `cender bench tables --rows docs/tables.jsonl --kept --markdown`; figures in percent unless a column says
otherwise. Every row of the paper is there, in its numbering; ours stand under it, measured on the same data where that
is at hand, else they say what they need. `cender bench tables --data FOLDER --rows FILE` measures them again.
"""


def render_tables(tables: Sequence[Table], found: Mapping[str, Measured]) -> str:
    """All tables and the provenance of every measured row, as Markdown."""
    parts = [HEAD]
    for one in tables:
        parts.append(f"## {one.heading}\n\n{_render(one)}" + (f"\n{one.note}\n" if one.note else ""))
    parts.append(_render_provenance(found))
    return "\n".join(parts)


def _render(table: Table) -> str:
    rows, notes = table.as_text()
    lines = [" | ".join(table.columns), "|".join("---" for _ in table.columns)]
    lines += [" | ".join(cell.replace("|", "/") for cell in row) for row in rows]
    drawn = "".join(f"| {line} |\n" if number != 1 else f"|{line}|\n" for number, line in enumerate(lines))
    return drawn + "".join(f"\n({number}) {note}\n" for number, note in enumerate(notes, 1))


def _render_provenance(found: Mapping[str, Measured]) -> str:
    lines = [
        "## Where the figures come from\n",
        "Rows of older weights or other settings were measured before those of now, or with those that their key "
        "names. Core seconds are CPU time.\n",
        "| row | version | machine | date | seconds | core seconds | weights and settings |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, one in sorted(found.items()):
        told = [
            str(one.provenance.get(name, "–")) for name in ("version", "machine", "date", "seconds", "core_seconds")
        ]
        lines.append(f"| {key} | {' | '.join(told)} | {compare_inputs(one.inputs)} |")
    return "\n".join(lines) + "\n"
