"""Measurements of a long benchmark, done one after the other, each kept as soon as it is finished."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from cender.errors import DataError
from cender.io.measured import Measured, add_measured, load_measured

Figures = dict[str, Any]
REFUSED = "refused"
"""The only figure of an item whose data was refused: the reason."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something to measure.

    ``inputs`` is all that the figures depend on; ``about_s`` is how long it takes on an idle machine, for the estimate.
    Items of the same ``group`` share trainings or animals.
    """

    key: str
    measure: Callable[[], Figures]
    inputs: dict[str, Any]
    about_s: int = 10
    group: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """An item that is finished: how many of how many seconds' worth of work are behind it, and whether it was kept."""

    key: str
    done_s: int
    total_s: int
    kept: bool


def measure_items(
    items: Sequence[Item],
    path: Path | None,
    machine: dict[str, str],
    on_item: Callable[[Done], None] = lambda done: None,
) -> dict[str, Measured]:
    """The figures of all items by key; those that the file has for the same inputs are taken from it.

    Parameters
    ----------
    path
        File of measured rows that is read and added to; None keeps nothing.
    machine
        Version and machine, which go into the provenance.
    on_item
        Told after every item.
    """
    kept = {} if path is None else load_measured(path)
    found: dict[str, Measured] = {}
    total, gone = sum(item.about_s for item in items), 0
    for item in items:
        known = kept.get(item.key)
        fits = known is not None and known.inputs == item.inputs
        found[item.key] = known if known is not None and fits else measure_item(item, machine)
        if not fits:
            keep_measured(path, found[item.key])
        gone += item.about_s
        on_item(Done(item.key, gone, total, fits))
    return found


def refuse_data(item: Item) -> Item:
    """The same item, but data that it refuses does not end the benchmark: its only figure is then the reason."""
    return replace(item, measure=partial(_try_to_measure, item.measure))


def _try_to_measure(measure: Callable[[], Figures]) -> Figures:
    try:
        return measure()
    except DataError as error:
        return {REFUSED: str(error)}


def prefer_fuller(items: Sequence[Item], fuller: Sequence[Item], kept: Mapping[str, Measured]) -> list[Item]:
    """The items, but those of which a kept row has more: that row stays, and is not measured again with less."""
    more = {item.key: item for item in fuller}
    return [
        more[item.key]
        if item.key in more and item.key in kept and kept[item.key].inputs == more[item.key].inputs
        else item
        for item in items
    ]


def keep_measured(path: Path | None, one: Measured) -> None:
    """Put a row into the file, unless its data was refused: that is tried again."""
    if path is not None and REFUSED not in one.figures:
        add_measured(path, one)


def measure_item(item: Item, machine: dict[str, str]) -> Measured:
    """The figures of one item, measured now, with the time they took."""
    start, begin = perf_counter(), process_time()
    figures = item.measure()
    provenance = {
        **machine,
        "seconds": round(perf_counter() - start, 1),
        "core_seconds": round(process_time() - begin, 1),
        "date": datetime.now(UTC).date().isoformat(),
    }
    return Measured(item.key, figures, item.inputs, provenance)
