"""Several people at once: is every acknowledged edit in the log, and once?"""

import json
import threading
import uuid
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from cender.io.results.annotations.log import EditLog
from cender.web.desk import Desk
from cender.web.serve import serving

TRIES = 5
"""Times that a request is sent before a closed connection counts as an error."""
SENT_AGAIN = 0.1
"""Share of the edits that are sent a second time, as a page does whose connection broke before the answer came."""


def measure_company(folder: Path, people: int, edits: int, seed: int = 0) -> dict[str, Any]:
    """Edits that got lost or were made twice while so many people made so many edits each, and the time of one."""
    acknowledged: list[list[tuple[str, int]]] = [[] for _ in range(people)]
    waits: list[list[float]] = [[] for _ in range(people)]
    with serving(folder) as (port, desk):
        neurons = {volume: desk.describe_volume(volume)["neurons"] for volume in _choose_volumes(desk, 2 * people)}
        threads = [
            threading.Thread(target=_work, args=(port, one, neurons, edits, seed, acknowledged[one], waits[one]))
            for one in range(people)
        ]
        begin = process_time()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        core_s = process_time() - begin
    lost, doubled = _compare(folder, [entry for mine in acknowledged for entry in mine])
    spent = 1e3 * np.concatenate([np.array(mine) for mine in waits])
    return {
        "people": people,
        "edits_each": edits,
        "acknowledged": sum(map(len, acknowledged)),
        "lost": lost,
        "doubled": doubled,
        "edit_ms": summarize(spent),
        "edit_core_ms": round(1e3 * core_s / max(len(spent), 1), 2),
    }


def _choose_volumes(desk: Desk, count: int) -> list[int]:
    return [int(volume) for volume in desk.tables.volumes["volume"][:count]]


def summarize(spent_ms: Sequence[float] | np.ndarray) -> dict[str, float]:
    """Median, 95th and 99th percentile."""
    low, high, most = np.percentile(spent_ms, (50, 95, 99))
    return {"p50": round(float(low), 2), "p95": round(float(high), 2), "p99": round(float(most), 2)}


def send_request(line: HTTPConnection, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
    """Status and content of an answer; a line that the server closed meanwhile is opened again, as browsers do."""
    for left in reversed(range(TRIES)):
        try:
            line.request(method, path, body, {"Content-Type": "application/json"})
            answer = line.getresponse()
            return answer.status, answer.read()
        except (ConnectionError, HTTPException):
            line.close()
            if not left:
                raise
    raise AssertionError("it answers or raises")


def _work(
    port: int,
    person: int,
    neurons: dict[int, list[dict[str, Any]]],
    edits: int,
    seed: int,
    acknowledged: list[tuple[str, int]],
    waits: list[float],
) -> None:
    """One person: assign, undo and redo, without being told of conflicts (the last word counts)."""
    rng = np.random.default_rng((seed, person))
    line = HTTPConnection("127.0.0.1", port, timeout=300)
    author = f"person {person}"
    for number in range(edits):
        path, message = _draw_message(rng, author, person, neurons, number)
        again = 2 if rng.random() < SENT_AGAIN else 1
        for _ in range(again):
            start = perf_counter()
            status, content = send_request(line, "POST", path, json.dumps(message))
            told = json.loads(content)
            waits.append(perf_counter() - start)
        if status == 200 and not told.get("nothing"):
            acknowledged.append((message["ticket"], told["revision"]))
    line.close()


def _draw_message(
    rng: np.random.Generator, author: str, person: int, neurons: dict[int, list[dict[str, Any]]], number: int
) -> tuple[str, dict[str, Any]]:
    message: dict[str, Any] = {"author": author, "ticket": str(uuid.UUID(bytes=rng.bytes(16)))}
    if number and rng.random() < 0.2:
        return ("/api/undo" if rng.random() < 0.6 else "/api/redo"), message
    volume = int(rng.choice(sorted(neurons)))
    one = neurons[volume][int(rng.integers(len(neurons[volume])))]
    spot = {"volume": volume, "key": one["key"], "place_um": one["anchor_um"]}
    edit = {"kind": "assign", "spots": [spot], "identity": 1000 * (person + 1) + number % 1000}
    return "/api/edits", {**message, "edit": edit}


def _compare(folder: Path, acknowledged: list[tuple[str, int]]) -> tuple[int, int]:
    """Acknowledged edits that are not in the log under their revision, and rows of the log beyond one for each."""
    with EditLog(folder) as log:
        written = log.tickets()
    lost = sum(written.get(revision) != ticket for ticket, revision in acknowledged)
    return lost, len(written) - len({ticket for ticket, _ in acknowledged}) + lost
