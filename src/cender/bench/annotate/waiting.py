"""How long a person waits: for a run to open, for the pictures and the neurons of a volume."""

from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from cender.bench.annotate.company import send_request, summarize
from cender.bench.annotate.folders import DRAWN
from cender.web.desk import Desk
from cender.web.queue import list_queue
from cender.web.serve import serving


def measure_opening(folder: Path) -> dict[str, Any]:
    """Seconds until a run is open: tables, what the page needs first, its first volume; then queue and reference."""
    start, begin = perf_counter(), process_time()
    desk = Desk.open(folder)
    described = desk.describe_run()
    desk.describe_volume(described["volumes"]["volume"][0])
    opened, core_s = perf_counter(), process_time() - begin
    list_queue(desk)
    queued = perf_counter()
    desk.find_reference(described["volumes"]["volume"][0])
    compared = perf_counter()
    desk.log.close()
    volumes = len(described["volumes"]["volume"])
    return {
        "volumes": volumes,
        "open_s": round(opened - start, 3),
        "open_core_s": round(core_s, 3),
        "queue_s": round(queued - opened, 3),
        "reference_s": round(compared - queued, 3),
    }


def measure_latency(folder: Path, requests: int, seed: int = 0) -> dict[str, Any]:
    """Milliseconds from asking to having, on loopback: pictures of a volume read anew, held in memory, and neurons.

    Names with ``core`` are the time that one core works for it, server and asker together; the rest is waiting for the
    disk and for other programs.
    """
    rng = np.random.default_rng(seed)
    with serving(folder) as (port, desk):
        desk.frames.windows()
        chosen = rng.integers(min(DRAWN, desk.tables.volumes.height), size=requests).tolist()
        line = HTTPConnection("127.0.0.1", port, timeout=300)
        held = [_ask(line, f"/api/volumes/{volume}/frames/8") for volume in chosen]
        neurons = [_ask(line, f"/api/volumes/{volume}") for volume in chosen]
        fresh = []
        for volume in chosen:
            desk.frames.forget()
            fresh.append(_ask(line, f"/api/volumes/{volume}/frames/8"))
        line.close()
    size = {"bytes": int(np.mean([one[2] for one in held])), "requests": requests}
    names = {"frames_read": fresh, "frames_held": held, "neurons": neurons}
    spent = {f"{name}_ms": summarize([one[0] for one in found]) for name, found in names.items()}
    return {
        **size,
        **spent,
        **{f"{name}_core_ms": summarize([one[1] for one in found]) for name, found in names.items()},
    }


def _ask(line: HTTPConnection, path: str) -> tuple[float, float, int]:
    """Milliseconds, milliseconds of a core, and bytes."""
    start, begin = perf_counter(), process_time()
    size = len(send_request(line, "GET", path)[1])
    return 1e3 * (perf_counter() - start), 1e3 * (process_time() - begin), size
