"""The queue of the page: the advice of ``cender suggest``, with a neuron to begin with in each volume."""

from typing import Any

from cender.web.desk import Desk
from cender.web.suspects import list_questions, list_suspects

LISTED = 12
"""Volumes, and neurons, that the queue lists at most."""


def list_queue(desk: Desk) -> dict[str, Any]:
    """Volumes and neurons worth a look, the best first, each with its reason, and the accuracy to expect."""
    advice = desk.give_advice(LISTED)
    known = advice.accuracy == advice.accuracy
    volumes = [
        {
            "kind": "volume",
            "volume": one.volume,
            "identity": _find_worst(desk, one.volume),
            "reason": one.reason,
            "gain": round(one.gain, 5),
        }
        for one in advice.volumes
    ]
    neurons = [
        {
            "kind": "neuron",
            "volume": one.volume,
            "identity": one.identity,
            "reason": one.reason,
            "gain": round(one.gain, 5),
        }
        for one in advice.neurons
    ]
    return {
        "volumes": volumes,
        "neurons": [*list_questions(desk)[:LISTED], *list_suspects(desk), *neurons],
        "annotated": len(advice.annotated),
        "accuracy": round(advice.accuracy, 4) if known else None,
        "forecast": round(advice.forecast, 4) if known else None,
    }


def _find_worst(desk: Desk, volume: int) -> int:
    """The identity that is least probable in a volume, -1 where none has one."""
    neurons = [one for one in desk.describe_volume(volume)["neurons"] if one["identity"] >= 0 and not one["human"]]
    return int(min(neurons, key=lambda one: one["probability"])["identity"]) if neurons else -1
