"""Why a volume deserves a look: typed reasons, and the same in words."""

from cender.types import Flag, Head

FEW_NEURONS = 20
"""Fewer neurons than this are less than any recording of a whole head shows."""


def find_flags(head: Head, neurons: int, flag_below: float) -> tuple[Flag, ...]:
    """The reasons to look at a volume, none where it is ok."""
    found: list[Flag] = list(head.doubts)
    if neurons < FEW_NEURONS:
        found.append("few neurons")
    if head.quality < flag_below:
        found.append("unsure axes")
    return tuple(found)


def say_flag(flag: Flag, head: Head, neurons: int) -> str:
    """A reason in words."""
    said: dict[Flag, str] = {
        "two animals": "two animals are in view; the neurons are those of one of them",
        "part of a head": "only a part of the head is in view: it reaches beyond the edge of the frame",
        "few neurons": f"only a few neurons are in view ({neurons} found, a head has more than {FEW_NEURONS})",
        "unsure axes": f"the head's place or axes are unsure (quality {head.quality:.2f})",
    }
    return said[flag]
