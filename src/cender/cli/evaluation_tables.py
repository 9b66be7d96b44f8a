"""The figures of ``cender evaluate`` as tables that people read."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from cender.evaluate import Result


def print_result(result: "Result", console: Console) -> None:
    """Print where the figures come from, the figures with their counts, the errors and who is missed."""
    for line in _describe_source(result):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    for table in (_show_detection(result), _show_figures(result), _show_errors(result)):
        console.print(table)
    if result.breakdown:
        console.print(_show_breakdown(result))


def _describe_source(result: "Result") -> list[str]:
    from cender.types.words import say_count

    origin = result.provenance
    notes = [
        f"{origin.missing} not processed" if origin.missing else "",
        f"{origin.incomplete} not completely annotated" if origin.incomplete else "",
    ]
    noted = ", ".join(note for note in notes if note)
    said = {"split": origin.split, "seed": origin.seed, "preset hash": origin.preset_hash}
    return [
        f"{origin.predicted} compared with {origin.data}",
        f"{say_count(origin.volumes, 'volume')} ({origin.first_volume} to {origin.last_volume})"
        + (f": {noted}" if noted else ""),
        "identity numbers " + ("renamed by one matching for the recording" if origin.renamed else "as they are"),
        ", ".join([f"cender {origin.version}", *(f"{key} {value}" for key, value in said.items() if value)]),
    ]


def _show_detection(result: "Result") -> Table:
    table = Table("detection", title="Found", title_justify="left")
    for column in ("precision", "recall", "F1", "true", "matched", "predicted"):
        table.add_column(column, justify="right")
    rows = {
        "regions (2D)": result.detection_2d,
        "neurons (3D)": result.detection_3d,
        "centres (2 µm)": result.centre,
    }
    for name, detection in rows.items():
        counts = (detection.truth, detection.matched, detection.judged)
        figures = (detection.precision, detection.recall, detection.f1)
        table.add_row(name, *map(_show, figures), *map(str, counts))
    return table


def _show_figures(result: "Result") -> Table:
    from cender.types.words import say_count

    table = Table("figure", title="Axes, identities, traces", title_justify="left")
    table.add_column("value", justify="right")
    table.add_column("counts")
    axes, identity, traces = result.axes, result.identity, result.traces
    judged = axes.volumes - axes.flagged_count
    rows: list[tuple[str, float | None, str]] = [
        ("axes right", axes.accuracy, f"{axes.right} of {say_count(judged, 'volume')} not flagged"),
        ("axes flagged", axes.flagged, f"{axes.flagged_count} of {say_count(axes.volumes, 'volume')}"),
    ]
    if identity.given:
        rows += [
            ("identity accuracy", identity.accuracy, f"over {say_count(identity.knowable, 'knowable neuron')}"),
            (
                "identity accuracy, all",
                identity.accuracy_all,
                f"{identity.right} of {say_count(identity.known, 'neuron')}",
            ),
            ("worst 5 % of volumes", identity.worst_5pct, "mean of their accuracies"),
            ("recall at 95 % right", identity.recall_at_95_strict, f"{say_count(identity.given, 'identity')} given"),
            ("calibration error", identity.calibration_error, "15 bins of equal counts"),
            ("kept between volumes", identity.kept, "the same number in two volumes that show a neuron"),
            ("trace correlation", traces.correlation, f"median of {say_count(traces.varying, 'varying neuron')}"),
            (
                "identities complete",
                traces.complete,
                f"{traces.complete_count} of {say_count(traces.identities, 'identity')}",
            ),
        ]
    else:
        table.caption = "No identity was given: nothing to say about identities and traces."
    for name, value, counts in rows:
        table.add_row(name, _show(value), counts)
    return table


def _show_errors(result: "Result") -> Table:
    table = Table("group", "kind", title="What became of the neurons", title_justify="left")
    table.add_column("count", justify="right")
    groups = {"detection": result.detection_errors}
    if result.identity.given:
        groups["identity"] = result.identity_outcomes
    for group, counts in groups.items():
        for row, (kind, count) in enumerate(counts.items()):
            table.add_row(group if row == 0 else "", kind, str(count), end_section=row == len(counts) - 1)
    return table


def _show_breakdown(result: "Result") -> Table:
    table = Table("by", "from", "to", title="Who is missed", title_justify="left")
    identified = result.identity.given > 0
    for column in ("true", "recall", *(["identity accuracy"] if identified else [])):
        table.add_column(column, justify="right")
    before = ""
    for tercile in result.breakdown:
        name = tercile.title if tercile.title != before else ""
        before = tercile.title
        bounds = f"{tercile.low:.3g}", f"{tercile.high:.3g}"
        shares = (tercile.recall, tercile.accuracy) if identified else (tercile.recall,)
        table.add_row(name, *bounds, str(tercile.truth), *map(_show, shares))
    return table


def _show(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
