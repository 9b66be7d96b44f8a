"""Names and identities of people that the machine doubts, as questions in the queue of the page."""

from typing import Any

from cender.io.results.folder.suspects import load_suspects
from cender.web.desk import Desk


def list_questions(desk: Desk) -> list[dict[str, Any]]:
    """One entry per identity that a person gave and the recognizer doubts; a person's word stands, so the gain is 0."""
    return [
        {"kind": "neuron", "volume": one.volume, "identity": one.identity, "reason": str(one), "gain": 0.0}
        for one in desk.questions.open()
    ]


def list_suspects(desk: Desk) -> list[dict[str, Any]]:
    """One entry per doubted name that a person has not changed since; they gain no identity, so their gain is 0."""
    names = desk.run.read_names()
    return [
        {
            "kind": "neuron",
            "volume": one.volume,
            "identity": one.identity,
            "reason": f"called {one.name}: {one.reason} (probability {one.probability:.2f})",
            "gain": 0.0,
        }
        for one in load_suspects(desk.run.path)
        if names.get(one.identity) == one.name and desk.has_volume(one.volume)
    ]
