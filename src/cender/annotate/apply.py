"""Edits applied to a state: which values change, and the edit that takes it all back."""

from collections.abc import Callable, Iterable
from typing import Any

from cender.annotate.edits import (
    Accept,
    AddNeuron,
    AddRegion,
    AnyEdit,
    Assign,
    Batch,
    DeleteNeuron,
    DeleteRegion,
    FlagUnusable,
    MergeIdentities,
    MergeNeurons,
    MoveNeuron,
    MoveRegion,
    NameIdentity,
    NoteIdentity,
    NoteVolume,
    Propagate,
    ResizeRegion,
    Restore,
    ReviewIdentity,
    ReviewVolume,
    SetHead,
    SetVolume,
    SplitIdentity,
    SplitNeuron,
    Swap,
)
from cender.annotate.marks import NO_IDENTITY, Box, Mark, Spot
from cender.annotate.slots import Saved, Slot, Value
from cender.annotate.state import State
from cender.errors import EditError


class Draft:
    """A state being changed; remembers what every touched slot was."""

    def __init__(self, state: State) -> None:
        self._before = state.values
        self._marks: dict[int, set[str]] = {}
        for slot in state.values:
            if slot.space == "neuron":
                self._marks.setdefault(slot.number, set()).add(slot.key)
        self.after: dict[Slot, Value | None] = {}

    def get(self, slot: Slot) -> Value | None:
        """The value as it is now."""
        return self.after[slot] if slot in self.after else self._before.get(slot)

    def set(self, slot: Slot, value: Value | None) -> None:
        """Give a slot a value."""
        self.after[slot] = value
        if slot.space == "neuron":
            keys = self._marks.setdefault(slot.number, set())
            keys.add(slot.key) if value is not None else keys.discard(slot.key)

    def mark(self, spot: Spot) -> Mark:
        """What is said of a neuron, beginning with nothing."""
        found = self.get(Slot("neuron", spot.volume, spot.key))
        if isinstance(found, Mark):
            return found
        if spot.key.startswith("h"):
            raise EditError(f"volume {spot.volume}: there is no neuron {spot.key} any more; load the volume again")
        if spot.place_um is None:
            raise EditError(f"volume {spot.volume}: the first edit of {spot.key} must say where it is (place_um)")
        return Mark(key=spot.key, anchor_um=spot.place_um)

    def put(self, volume: int, mark: Mark) -> None:
        """Lay down what is said of a neuron; an identity is there once in a volume, so another neuron loses it."""
        self.set(Slot("neuron", volume, mark.key), None if mark.says_nothing else mark)
        if mark.identity is None or mark.identity < 0:
            return
        for key in sorted(self._marks.get(volume, ())):
            other = self.get(Slot("neuron", volume, key))
            if key != mark.key and isinstance(other, Mark) and other.identity == mark.identity:
                self.set(Slot("neuron", volume, key), other.model_copy(update={"identity": NO_IDENTITY}))

    def change(self, spot: Spot, **fields: Any) -> None:
        """Change some of what is said of a neuron."""
        self.put(spot.volume, self.mark(spot).model_copy(update=fields))

    def boxes(self, spot: Spot) -> tuple[Box, ...]:
        """The boxes of a neuron: the person's, else the machine's as the edit brings them."""
        own = self.mark(spot).boxes
        if own is None and spot.boxes is None:
            raise EditError(
                f"volume {spot.volume}: the first edit of a box of {spot.key} must bring the machine's boxes (boxes)"
            )
        return own if own is not None else spot.boxes or ()

    def keys(self, volume: int) -> list[str]:
        """Neurons of a volume of which something is said."""
        return sorted(self._marks.get(volume, ()))


def apply_edit(state: State, edit: AnyEdit) -> tuple[State, Restore]:
    """The state after an edit, and the edit that brings the state before it back.

    Raises
    ------
    EditError
        The edit contradicts the state it applies to.
    """
    draft = draft_edit(state, edit)
    changes = dict(find_changes(state, draft))
    saved = tuple(Saved(slot=slot, value=state.values.get(slot)) for slot in changes)
    return state.replace(changes), Restore(saved=saved)


def draft_edit(state: State, edit: AnyEdit) -> Draft:
    """What an edit would change."""
    draft = Draft(state)
    _perform(draft, edit)
    return draft


def find_changes(state: State, draft: Draft) -> list[tuple[Slot, Value | None]]:
    """Slots whose value differs after a draft, with the new value."""
    return [(slot, value) for slot, value in draft.after.items() if state.values.get(slot) != value]


def find_claims(state: State, changes: Iterable[tuple[Slot, Value | None]]) -> set[Slot]:
    """Identities that changed neurons have before or after: who else gives one of them is in the way."""
    marks = [(slot, mark) for slot, value in changes for mark in (value, state.values.get(slot))]
    return {
        Slot("claim", slot.number, str(mark.identity))
        for slot, mark in marks
        if isinstance(mark, Mark) and mark.identity is not None and mark.identity >= 0
    }


def list_volumes(edit: AnyEdit) -> set[int]:
    """Every volume that an edit reads or changes."""
    if isinstance(edit, Batch | Propagate):
        return {volume for one in edit.edits for volume in list_volumes(one)}
    if isinstance(edit, Restore):
        return {one.slot.volume for one in edit.saved if one.slot.volume is not None}
    spots = [getattr(edit, name) for name in ("spot", "kept", "gone") if isinstance(getattr(edit, name, None), Spot)]
    for name in ("spots", "first_spots", "second_spots"):
        spots += getattr(edit, name, ())
    volume = getattr(edit, "volume", None)
    return {spot.volume for spot in spots} | (set() if volume is None else {volume})


def _perform(draft: Draft, edit: AnyEdit) -> None:
    _ACTIONS[type(edit)](draft, edit)


def _add_neuron(draft: Draft, edit: AddNeuron) -> None:
    if draft.get(Slot("neuron", edit.volume, edit.key)) is not None or not edit.key.startswith("h"):
        raise EditError(f"volume {edit.volume}: expected a new key that begins with h, found {edit.key}")
    _check_frames(edit.boxes)
    draft.put(
        edit.volume, Mark(key=edit.key, centre_um=edit.centre_um, boxes=_sort(edit.boxes), identity=edit.identity)
    )


def _move_neuron(draft: Draft, edit: MoveNeuron) -> None:
    if edit.boxes is None:
        draft.change(edit.spot, centre_um=edit.centre_um, removed=False)
    else:
        _check_frames(edit.boxes)
        draft.change(edit.spot, centre_um=edit.centre_um, boxes=_sort(edit.boxes), removed=False)


def _delete_neuron(draft: Draft, edit: DeleteNeuron) -> None:
    mark = draft.mark(edit.spot)
    if mark.anchor_um is None:
        draft.set(Slot("neuron", edit.spot.volume, mark.key), None)
    else:
        draft.change(edit.spot, removed=True, identity=None)


def _put_region(draft: Draft, edit: AddRegion | MoveRegion | ResizeRegion) -> None:
    boxes = draft.boxes(edit.spot)
    there = any(box.z == edit.box.z for box in boxes)
    if there == isinstance(edit, AddRegion):
        found = "has a box already" if there else "has no box"
        raise EditError(f"volume {edit.spot.volume}: {edit.spot.key} {found} in frame {edit.box.z}; load it again")
    _set_boxes(draft, edit.spot, [*(box for box in boxes if box.z != edit.box.z), edit.box], edit.centre_um)


def _delete_region(draft: Draft, edit: DeleteRegion) -> None:
    boxes = draft.boxes(edit.spot)
    left = [box for box in boxes if box.z != edit.z]
    if len(left) == len(boxes):
        raise EditError(f"volume {edit.spot.volume}: {edit.spot.key} has no box in frame {edit.z}; load it again")
    _set_boxes(draft, edit.spot, left, edit.centre_um)


def _set_boxes(draft: Draft, spot: Spot, boxes: Iterable[Box], centre_um: Any) -> None:
    fields = {"boxes": _sort(boxes), "removed": False}
    draft.change(spot, **fields, **({} if centre_um is None else {"centre_um": centre_um}))


def _merge_neurons(draft: Draft, edit: MergeNeurons) -> None:
    kept, gone = edit.kept, edit.gone
    if kept.volume != gone.volume or kept.key == gone.key:
        raise EditError(f"expected two neurons of one volume to merge, found {kept.key} and {gone.key}")
    mine = draft.boxes(kept)
    frames = {box.z for box in mine}
    both = [*mine, *(box for box in draft.boxes(gone) if box.z not in frames)]
    _delete_neuron(draft, DeleteNeuron(spot=gone))
    _set_boxes(draft, kept, both, edit.centre_um)


def _split_neuron(draft: Draft, edit: SplitNeuron) -> None:
    boxes = draft.boxes(edit.spot)
    low, high = [box for box in boxes if box.z < edit.z], [box for box in boxes if box.z >= edit.z]
    if not low or not high:
        raise EditError(f"volume {edit.spot.volume}: {edit.spot.key} has no boxes on both sides of frame {edit.z}")
    _set_boxes(draft, edit.spot, low, edit.centre_um)
    _add_neuron(
        draft,
        AddNeuron(volume=edit.spot.volume, key=edit.key, centre_um=edit.new_centre_um, boxes=tuple(high)),
    )


def _assign(draft: Draft, edit: Assign) -> None:
    _give(draft, edit.spots, edit.identity)


def _accept(draft: Draft, edit: Accept) -> None:
    _give(draft, (edit.spot,), edit.identity)


def _swap(draft: Draft, edit: Swap) -> None:
    if edit.first == edit.second or not (edit.first_spots or edit.second_spots):
        raise EditError("expected two different identities and at least one neuron to swap")
    # First nothing, so that neither takes the number from the other.
    for spot in (*edit.first_spots, *edit.second_spots):
        draft.put(spot.volume, draft.mark(spot).model_copy(update={"identity": NO_IDENTITY}))
    _give(draft, edit.first_spots, edit.second)
    _give(draft, edit.second_spots, edit.first)


def _merge_identities(draft: Draft, edit: MergeIdentities) -> None:
    _give(draft, edit.spots, edit.kept)


def _split_identity(draft: Draft, edit: SplitIdentity) -> None:
    if edit.identity == edit.new:
        raise EditError(f"expected a new number for a part of #{edit.identity}, found the same")
    _give(draft, edit.spots, edit.new)


def _give(draft: Draft, spots: Iterable[Spot], identity: int | None) -> None:
    given: set[int] = set()
    for spot in spots:
        if spot.volume in given and identity is not None and identity >= 0:
            raise EditError(f"volume {spot.volume}: two neurons cannot both be #{identity}")
        given.add(spot.volume)
        fields = {"identity": identity} if identity is None else {"identity": identity, "removed": False}
        draft.change(spot, **fields)


def _review_volume(draft: Draft, edit: ReviewVolume) -> None:
    given = [one.identity for one in edit.accepted if one.identity >= 0]
    if len(given) != len(set(given)) or any(one.spot.volume != edit.volume for one in edit.accepted):
        raise EditError(f"volume {edit.volume}: expected each identity once, and neurons of this volume only")
    for one in edit.accepted:
        _give(draft, (one.spot,), one.identity)
    draft.set(Slot("volume", edit.volume, "reviewed"), edit.reviewed or None)


def _review_identity(draft: Draft, edit: ReviewIdentity) -> None:
    draft.set(Slot("identity", edit.identity, "reviewed"), edit.reviewed or None)


def _flag_unusable(draft: Draft, edit: FlagUnusable) -> None:
    reason = edit.reason or "flagged by a person"
    draft.set(Slot("volume", edit.volume, "unusable"), reason if edit.unusable else None)


def _set_head(draft: Draft, edit: SetHead) -> None:
    if edit.head is not None:
        for name in ("anterior_yx", "ventral_yx"):
            y, x = getattr(edit.head, name)
            if y * y + x * x == 0:
                raise EditError(f"volume {edit.volume}: {name} must point somewhere, found (0, 0)")
    draft.set(Slot("volume", edit.volume, "head"), edit.head)


def _name_identity(draft: Draft, edit: NameIdentity) -> None:
    draft.set(Slot("identity", edit.identity, "name"), edit.name.strip() or None)


def _note_identity(draft: Draft, edit: NoteIdentity) -> None:
    draft.set(Slot("identity", edit.identity, "note"), edit.note.strip() or None)


def _note_volume(draft: Draft, edit: NoteVolume) -> None:
    draft.set(Slot("volume", edit.volume, "note"), edit.note.strip() or None)


def _set_volume(draft: Draft, edit: SetVolume) -> None:
    keys = [mark.key for mark in edit.marks]
    given = [mark.identity for mark in edit.marks if mark.identity is not None and mark.identity >= 0]
    if len(keys) != len(set(keys)) or len(given) != len(set(given)):
        raise EditError(f"volume {edit.volume}: expected each neuron and each identity once")
    for mark in edit.marks:
        if mark.centre_um is None and mark.anchor_um is None:
            raise EditError(f"volume {edit.volume}: {mark.key} has no place")
        _check_frames(mark.boxes or ())
    for key in draft.keys(edit.volume):
        draft.set(Slot("neuron", edit.volume, key), None)
    for mark in edit.marks:
        draft.put(edit.volume, mark)
    draft.set(Slot("volume", edit.volume, "complete"), edit.complete or None)


def _restore(draft: Draft, edit: Restore) -> None:
    for one in edit.saved:
        draft.set(one.slot, one.value)


def _perform_all(draft: Draft, edit: Batch | Propagate) -> None:
    for one in edit.edits:
        _perform(draft, one)


def _check_frames(boxes: Iterable[Box]) -> None:
    frames = [box.z for box in boxes]
    if len(frames) != len(set(frames)):
        raise EditError("a neuron has at most one box in each frame")


def _sort(boxes: Iterable[Box]) -> tuple[Box, ...]:
    return tuple(sorted(boxes, key=lambda box: box.z))


_ACTIONS: dict[type, Callable[[Draft, Any], None]] = {
    AddNeuron: _add_neuron,
    MoveNeuron: _move_neuron,
    DeleteNeuron: _delete_neuron,
    AddRegion: _put_region,
    MoveRegion: _put_region,
    ResizeRegion: _put_region,
    DeleteRegion: _delete_region,
    MergeNeurons: _merge_neurons,
    SplitNeuron: _split_neuron,
    Assign: _assign,
    Accept: _accept,
    Swap: _swap,
    MergeIdentities: _merge_identities,
    SplitIdentity: _split_identity,
    ReviewVolume: _review_volume,
    ReviewIdentity: _review_identity,
    FlagUnusable: _flag_unusable,
    SetHead: _set_head,
    NameIdentity: _name_identity,
    NoteIdentity: _note_identity,
    NoteVolume: _note_volume,
    SetVolume: _set_volume,
    Restore: _restore,
    Batch: _perform_all,
    Propagate: _perform_all,
}
