"""Every edit that a person can make, as data; ``kind`` says which it is."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from cender.annotate.marks import (
    MOST_SPOTS,
    NO_IDENTITY,
    Box,
    Count,
    HeadMark,
    Identity,
    Key,
    Mark,
    PlaceUm,
    Record,
    Spot,
    Text,
)
from cender.annotate.slots import Saved

Spots = Annotated[tuple[Spot, ...], Field(min_length=1, max_length=MOST_SPOTS)]
Given = Annotated[int, Field(ge=NO_IDENTITY, le=2**31)]


class AddNeuron(Record):
    """A neuron that the machine did not find; ``identity`` None leaves its name open."""

    kind: Literal["add_neuron"] = "add_neuron"
    volume: Count
    key: Key
    centre_um: PlaceUm
    boxes: tuple[Box, ...] = ()
    identity: Given | None = None


class MoveNeuron(Record):
    """A neuron is elsewhere; its boxes too, where ``boxes`` is given."""

    kind: Literal["move_neuron"] = "move_neuron"
    spot: Spot
    centre_um: PlaceUm
    boxes: tuple[Box, ...] | None = None


class DeleteNeuron(Record):
    """This is no neuron."""

    kind: Literal["delete_neuron"] = "delete_neuron"
    spot: Spot


class _RegionEdit(Record):
    """A box of a neuron; ``centre_um`` is where the neuron is afterwards, None where that stays."""

    spot: Spot
    box: Box
    centre_um: PlaceUm | None = None


class AddRegion(_RegionEdit):
    """A box in a frame where the neuron had none."""

    kind: Literal["add_region"] = "add_region"


class MoveRegion(_RegionEdit):
    """The neuron's box in frame ``box.z`` is elsewhere."""

    kind: Literal["move_region"] = "move_region"


class ResizeRegion(_RegionEdit):
    """The neuron's box in frame ``box.z`` has another size."""

    kind: Literal["resize_region"] = "resize_region"


class DeleteRegion(Record):
    """The neuron has no box in frame ``z``."""

    kind: Literal["delete_region"] = "delete_region"
    spot: Spot
    z: Count
    centre_um: PlaceUm | None = None


class MergeNeurons(Record):
    """Two objects of a volume are one neuron: ``gone`` is no longer, its boxes belong to ``kept``."""

    kind: Literal["merge_neurons"] = "merge_neurons"
    kept: Spot
    gone: Spot
    centre_um: PlaceUm


class SplitNeuron(Record):
    """One object is two neurons: boxes from frame ``z`` on belong to a new one, ``key``."""

    kind: Literal["split_neuron"] = "split_neuron"
    spot: Spot
    z: Count
    key: Key
    centre_um: PlaceUm
    new_centre_um: PlaceUm


class Assign(Record):
    """Neurons (one in each volume) are this identity; -1: none that is known; None: nothing is said any more."""

    kind: Literal["assign"] = "assign"
    spots: Spots
    identity: Given | None


class Accept(Record):
    """The machine's identity of a neuron is right."""

    kind: Literal["accept"] = "accept"
    spot: Spot
    identity: Identity


class Swap(Record):
    """Two identities change places: ``first_spots`` were ``first`` and become ``second``, and the other way round."""

    kind: Literal["swap"] = "swap"
    first: Identity
    second: Identity
    first_spots: Annotated[tuple[Spot, ...], Field(max_length=MOST_SPOTS)] = ()
    second_spots: Annotated[tuple[Spot, ...], Field(max_length=MOST_SPOTS)] = ()


class MergeIdentities(Record):
    """Two numbers mean one neuron: ``spots`` were ``gone`` and become ``kept``."""

    kind: Literal["merge_identities"] = "merge_identities"
    kept: Identity
    gone: Identity
    spots: Spots


class SplitIdentity(Record):
    """One number meant two neurons: ``spots`` were ``identity`` and become ``new``."""

    kind: Literal["split_identity"] = "split_identity"
    identity: Identity
    new: Identity
    spots: Spots


class Named(Record):
    """A neuron and its identity."""

    spot: Spot
    identity: Given


class ReviewVolume(Record):
    """A person has looked at all of a volume (or has not, after all); ``accepted`` are the identities it showed."""

    kind: Literal["review_volume"] = "review_volume"
    volume: Count
    reviewed: bool = True
    accepted: Annotated[tuple[Named, ...], Field(max_length=5000)] = ()


class ReviewIdentity(Record):
    """A person has followed an identity through the recording (or has not, after all)."""

    kind: Literal["review_identity"] = "review_identity"
    identity: Identity
    reviewed: bool = True


class FlagUnusable(Record):
    """A volume is not to be used (or is, after all)."""

    kind: Literal["flag_unusable"] = "flag_unusable"
    volume: Count
    unusable: bool = True
    reason: Text = ""


class SetHead(Record):
    """The worm's axes and the head's outline in a volume; None: the machine's stand."""

    kind: Literal["set_head"] = "set_head"
    volume: Count
    head: HeadMark | None


class NameIdentity(Record):
    """The name of an identity, such as AVAL; empty takes it away."""

    kind: Literal["name_identity"] = "name_identity"
    identity: Identity
    name: Annotated[str, Field(max_length=100, pattern=r"^[^\x00-\x1f]*$")]


class NoteIdentity(Record):
    """Words about an identity."""

    kind: Literal["note_identity"] = "note_identity"
    identity: Identity
    note: Text


class NoteVolume(Record):
    """Words about a volume."""

    kind: Literal["note_volume"] = "note_volume"
    volume: Count
    note: Text


class SetVolume(Record):
    """All that is said of the neurons of a volume, in place of what was said; ``complete``: there are no others."""

    kind: Literal["set_volume"] = "set_volume"
    volume: Count
    marks: Annotated[tuple[Mark, ...], Field(max_length=5000)] = ()
    complete: bool = False


class Restore(Record):
    """Slots get values back: the inverse of any edit."""

    kind: Literal["restore"] = "restore"
    saved: tuple[Saved, ...]


SingleEdit = Annotated[
    AddNeuron
    | MoveNeuron
    | DeleteNeuron
    | AddRegion
    | MoveRegion
    | ResizeRegion
    | DeleteRegion
    | MergeNeurons
    | SplitNeuron
    | Assign
    | Accept
    | Swap
    | MergeIdentities
    | SplitIdentity
    | ReviewVolume
    | ReviewIdentity
    | FlagUnusable
    | SetHead
    | NameIdentity
    | NoteIdentity
    | NoteVolume
    | SetVolume,
    Field(discriminator="kind"),
]


class Batch(Record):
    """Several edits that are made, undone and redone as one; ``words`` say what they are together."""

    kind: Literal["batch"] = "batch"
    words: Text
    edits: Annotated[tuple[SingleEdit, ...], Field(min_length=1, max_length=MOST_SPOTS)]


class Propagate(Record):
    """Neurons and identities of ``source`` carried to ``volume``: what that adds, moves and names there."""

    kind: Literal["propagate"] = "propagate"
    source: Count
    volume: Count
    edits: Annotated[tuple[SingleEdit, ...], Field(min_length=1, max_length=5000)]


Edit = Annotated[SingleEdit | Batch | Propagate, Field(discriminator="kind")]
"""What a person may send."""
LoggedEdit = Annotated[SingleEdit | Batch | Propagate | Restore, Field(discriminator="kind")]
"""What the log may hold: inverses too."""
AnyEdit = (
    AddNeuron
    | MoveNeuron
    | DeleteNeuron
    | AddRegion
    | MoveRegion
    | ResizeRegion
    | DeleteRegion
    | MergeNeurons
    | SplitNeuron
    | Assign
    | Accept
    | Swap
    | MergeIdentities
    | SplitIdentity
    | ReviewVolume
    | ReviewIdentity
    | FlagUnusable
    | SetHead
    | NameIdentity
    | NoteIdentity
    | NoteVolume
    | SetVolume
    | Batch
    | Propagate
    | Restore
)

_EDIT: TypeAdapter[AnyEdit] = TypeAdapter(Edit)
_LOGGED: TypeAdapter[AnyEdit] = TypeAdapter(LoggedEdit)


def parse_edit(text: str | bytes) -> AnyEdit:
    """An edit from JSON, as a person may send it; raises ``pydantic.ValidationError``."""
    return _EDIT.validate_json(text)


def parse_logged(text: str | bytes) -> AnyEdit:
    """An edit from the log."""
    return _LOGGED.validate_json(text)
