"""What the log leads to: values by slot, and the same arranged by volume and by identity."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import Field

from cender.annotate.marks import Count, HeadMark, Identity, Mark, Record
from cender.annotate.slots import Slot, Value


class VolumeState(Record):
    """What people say of one volume: ``marks`` by neuron key, and what is known of it as a whole.

    ``reviewed``: a person looked at all of it. ``complete``: the marks are all its neurons, anything else that the
    machine finds is none. ``unusable`` is the reason not to use it, None where it is usable.
    """

    volume: Count
    marks: dict[str, Mark] = Field(default_factory=dict)
    reviewed: bool = False
    complete: bool = False
    unusable: str | None = None
    head: HeadMark | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class VolumeDigest:
    """The same in short: ``reviewed`` or complete, ``unusable``, ``marked`` neurons, and the ``identities`` given."""

    reviewed: bool
    unusable: bool
    marked: bool
    identities: frozenset[int]


class IdentityState(Record):
    """What people say of one identity."""

    identity: Identity
    name: str = ""
    note: str = ""
    reviewed: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """All values by slot; a slot without a value is not there."""

    values: Mapping[Slot, Value] = field(default_factory=dict)

    def replace(self, changes: Mapping[Slot, Value | None]) -> "State":
        """The state with these values instead; None takes one away."""
        values = {**self.values, **{slot: value for slot, value in changes.items() if value is not None}}
        return State({slot: value for slot, value in values.items() if changes.get(slot, value) is not None})

    def volume(self, volume: int) -> VolumeState:
        """What is said of one volume."""
        return arrange_volumes(self.values, (volume,))[volume]

    def identity(self, identity: int) -> IdentityState:
        """What is said of one identity."""
        return arrange_identities(self.values).get(identity, IdentityState(identity=identity))


def arrange_volumes(values: Mapping[Slot, Value], wanted: Iterable[int] = ()) -> dict[int, VolumeState]:
    """States of all volumes of which something is said, and of those that are ``wanted``, by volume."""
    fields: dict[int, dict[str, object]] = {volume: {} for volume in wanted}
    marks: dict[int, dict[str, Mark]] = {}
    for slot, value in values.items():
        if slot.space == "volume":
            fields.setdefault(slot.number, {})[slot.key] = value
        elif slot.space == "neuron" and isinstance(value, Mark):
            fields.setdefault(slot.number, {})
            marks.setdefault(slot.number, {})[slot.key] = value
    return {
        volume: VolumeState.model_validate({"volume": volume, "marks": marks.get(volume, {}), **one})
        for volume, one in sorted(fields.items())
    }


def arrange_identities(values: Mapping[Slot, Value]) -> dict[int, IdentityState]:
    """States of all identities of which something is said, by number."""
    fields: dict[int, dict[str, object]] = {}
    for slot, value in values.items():
        if slot.space == "identity":
            fields.setdefault(slot.number, {})[slot.key] = value
    return {number: IdentityState.model_validate({"identity": number, **one}) for number, one in sorted(fields.items())}
