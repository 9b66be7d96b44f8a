"""Why volumes were flagged or failed, each kind of reason once."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from cender.report.folder import VolumeColumns

MOST_PIECES = 8
"""Ranges of volumes that are listed for one reason."""


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    """Volumes with the same status and the same kind of reason; ``example`` is the reason of the first one."""

    status: str
    example: str
    volumes: tuple[int, ...]


def count_statuses(volumes: VolumeColumns) -> dict[str, int]:
    """Number of volumes that are ok, flagged and failed."""
    return {status: volumes.status.count(status) for status in ("ok", "flagged", "failed")}


def group_reasons(volumes: VolumeColumns) -> list[ReasonGroup]:
    """Reasons of all volumes that are not ok, failed ones first, then by how many they concern."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, (status, flags, reason) in enumerate(zip(volumes.status, volumes.flags, volumes.reason, strict=True)):
        if status != "ok":
            groups[status, flags or reason].append(row)
    found = [
        ReasonGroup(
            status, volumes.reason[rows[0]] or "no reason given", tuple(int(volumes.volume[row]) for row in rows)
        )
        for (status, _), rows in groups.items()
    ]
    return sorted(found, key=lambda group: (group.status != "failed", -len(group.volumes), group.volumes))


def say_ranges(numbers: Iterable[int]) -> str:
    """Whole numbers as short text, ``3, 5–9, 12``; an ellipsis after `MOST_PIECES`."""
    pieces: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if pieces and number == pieces[-1][1] + 1:
            pieces[-1] = pieces[-1][0], number
        else:
            pieces.append((number, number))
    words = [str(first) if first == last else f"{first}–{last}" for first, last in pieces[:MOST_PIECES]]
    return ", ".join(words) + (", …" if len(pieces) > MOST_PIECES else "")
