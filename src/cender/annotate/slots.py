"""Where a value of the annotation lives: a neuron of a volume, a fact of a volume, a fact of an identity."""

from typing import Literal, NamedTuple

from cender.annotate.marks import HeadMark, Mark, Record

Space = Literal["neuron", "volume", "identity", "claim"]
Value = Mark | HeadMark | bool | str
"""A neuron's mark, a head, a flag or words."""


class Slot(NamedTuple):
    """One place for one value.

    ``number`` is a volume, or an identity where ``space`` says so. ``key`` is that of a neuron; or ``reviewed``,
    ``complete``, ``unusable``, ``head`` or ``note`` of a volume; or ``reviewed``, ``name`` or ``note`` of an identity.
    A ``claim`` has no value: it marks that somebody gave identity ``key`` in that volume.
    """

    space: Space
    number: int
    key: str

    @property
    def volume(self) -> int | None:
        """The volume that it belongs to, None for an identity."""
        return None if self.space == "identity" else self.number

    def __str__(self) -> str:
        return f"{self.space}:{self.number}:{self.key}"


class Saved(Record):
    """A slot and the value that it is to have, None for none."""

    slot: Slot
    value: Value | None
