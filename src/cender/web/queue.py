"""What is worth a person's next minute: volumes in which most neurons are doubtful, spread over the recording."""

from typing import Any

import numpy as np

from cender.web.desk import Desk
from cender.web.tables import UNSURE


def list_queue(desk: Desk, count: int = 24) -> list[dict[str, Any]]:
    """Volumes worth a look, the best first, each with its most doubtful neuron and the reason in words.

    The gain is the share of all neurons of the recording that a correct answer would make sure.
    """
    tables, states = desk.tables, desk.log.states()
    done = {volume for volume, one in states.items() if one.reviewed or one.complete or one.unusable is not None}
    short = tables.summarize()
    volume = np.array(short["volume"], int)
    neurons, doubtful = np.array(short["neurons"], float), np.array(short["doubtful"], float)
    named = {v: sum(m.identity is not None for m in one.marks.values()) for v, one in states.items()}
    doubtful = np.maximum(doubtful - [named.get(int(v), 0) for v in volume], 0)
    gain = np.where([int(v) in done for v in volume], 0.0, doubtful)
    total, apart = max(neurons.sum(), 1.0), max(len(volume) // 60, 1)
    found: list[dict[str, Any]] = []
    while len(found) < count and len(gain) and gain.max() > 0:
        row = int(gain.argmax())
        found.append(_describe(desk, int(volume[row]), int(doubtful[row]), int(neurons[row]), gain[row] / total))
        gain[max(row - apart + 1, 0) : row + apart] = 0
    return found


def _describe(desk: Desk, volume: int, doubtful: int, neurons: int, gain: float) -> dict[str, Any]:
    found = desk.tables.found(volume)
    doubt = np.where(found.identity < 0, 0.5, found.probability)
    worst = int(doubt.argmin()) if len(doubt) else -1
    identity = int(found.identity[worst]) if worst >= 0 else -1
    below = f"below {UNSURE:.0%} or without identity"
    return {
        "volume": volume,
        "identity": identity,
        "reason": f"{doubtful} of {neurons} neurons {below}",
        "gain": round(float(gain), 5),
    }
