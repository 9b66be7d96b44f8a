"""Measurements on several cores: every lane is a process of its own, which keeps what the rows of a group share."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path

from threadpoolctl import threadpool_limits

from cender.bench.paper.items import Done, Item, keep_measured, measure_item, measure_items
from cender.io.measured import Measured, load_measured

MakeItems = Callable[[], Sequence[Item]]
# Every process loads all libraries.
MOST_LANES = 4
# Items of this process, by key, where it is a lane.
_items: dict[str, Item] = {}


@dataclass(frozen=True, slots=True)
class Lanes:
    """How many processes measure at the same time, and how each of them makes the items (it is sent to them)."""

    count: int
    make_items: MakeItems


def count_lanes() -> int:
    """One for each core that this process may use (all of them where the system does not say), but few."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_LANES)


def measure_in_lanes(
    items: Sequence[Item],
    lanes: Lanes,
    path: Path | None,
    machine: dict[str, str],
    on_item: Callable[[Done], None] = lambda done: None,
) -> dict[str, Measured]:
    """The figures of all items by key, as `measure_items` has them, measured by several processes at a time.

    Items of one group are measured by the same process one after the other, groups that take longest first. A row is
    kept as soon as it is finished. A single lane or group needs no process but this one. An interruption ends all
    lanes at once: what they were measuring would be lost in any case.
    """
    if lanes.count == 1 or len(_gather(items)) < 2:
        return measure_items(items, path, machine, on_item)
    known = {} if path is None else load_measured(path)
    found = {one.key: known[one.key] for one in items if one.key in known and known[one.key].inputs == one.inputs}
    total, gone = sum(one.about_s for one in items), 0

    def tell(item: Item, kept: bool) -> None:
        nonlocal gone
        gone += item.about_s
        on_item(Done(item.key, gone, total, kept))

    for item in items:
        if item.key in found:
            tell(item, True)
    waiting = _gather([one for one in items if one.key not in found])
    with ExitStack() as stack:
        running: dict[Future[Measured], tuple[ProcessPoolExecutor, list[Item]]] = {}

        def start(lane: ProcessPoolExecutor, group: list[Item]) -> None:
            group = group or (waiting.pop(0) if waiting else [])
            if group:
                running[lane.submit(_measure_key, group[0].key, machine)] = lane, group

        for _ in range(min(lanes.count, len(waiting))):
            start(stack.enter_context(_open_lane(lanes.make_items)), [])
        stack.enter_context(_end_lanes())
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                lane, (item, *rest) = running.pop(future)
                found[item.key] = future.result()
                keep_measured(path, found[item.key])
                tell(item, False)
                start(lane, rest)
    return {item.key: found[item.key] for item in items}


def _gather(items: Sequence[Item]) -> list[list[Item]]:
    """Items by group, in their order; the groups that take longest first, so that no lane waits for another."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.group or item.key, []).append(item)
    return sorted(groups.values(), key=lambda group: -sum(one.about_s for one in group))


@contextmanager
def _end_lanes() -> Iterator[None]:
    """Stop the processes of this one where anything fails or is interrupted inside: they would be waited for."""
    try:
        yield
    except BaseException:
        for lane in active_children():
            lane.terminate()
        raise


def _open_lane(make_items: MakeItems) -> ProcessPoolExecutor:
    # A fresh process: threads of numerical libraries do not survive a fork.
    return ProcessPoolExecutor(1, get_context("spawn"), _enter_lane, (make_items,))


def _enter_lane(make_items: MakeItems) -> None:
    # A lane has one core: further threads would wait for those of the other lanes, and waiting counts as their time.
    os.environ["OMP_NUM_THREADS"] = "1"  # torch reads it when it is loaded, which comes later
    threadpool_limits(1)
    _items.update({item.key: item for item in make_items()})


def _measure_key(key: str, machine: dict[str, str]) -> Measured:
    return measure_item(_items[key], machine)
