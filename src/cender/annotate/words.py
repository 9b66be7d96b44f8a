"""Edits in words, as a person reads them in the list of what was done."""

from collections.abc import Iterable

from cender.annotate.apply import list_volumes
from cender.annotate.edits import (
    Accept,
    AddNeuron,
    AnyEdit,
    Assign,
    Batch,
    FlagUnusable,
    MergeIdentities,
    MergeNeurons,
    NameIdentity,
    NoteIdentity,
    Propagate,
    ReviewIdentity,
    ReviewVolume,
    SetHead,
    SetVolume,
    SplitIdentity,
    SplitNeuron,
    Swap,
)
from cender.types.words import say_count


def describe_edit(edit: AnyEdit) -> str:
    """What an edit does and where: ``#17 ↔ #23 in volumes 400–432``."""
    if isinstance(edit, ReviewIdentity):
        return f"#{edit.identity} {'reviewed' if edit.reviewed else 'no longer reviewed'}"
    if isinstance(edit, NameIdentity):
        return f"#{edit.identity} is called {edit.name}" if edit.name.strip() else f"#{edit.identity} loses its name"
    if isinstance(edit, NoteIdentity):
        return f"note on #{edit.identity}"
    if isinstance(edit, Batch):
        return edit.words
    if isinstance(edit, Propagate):
        return f"copied from volume {edit.source} to volume {edit.volume}"
    return f"{_describe_act(edit)} in {_describe_volumes(list_volumes(edit))}"


def _describe_act(edit: AnyEdit) -> str:
    return _describe_identity_act(edit) or _describe_volume_act(edit) or _describe_shape_act(edit)


def _describe_identity_act(edit: AnyEdit) -> str:
    match edit:
        case Assign(identity=None):
            return "identity of a neuron left to the machine"
        case Assign(identity=-1):
            return "a neuron has no identity"
        case Assign():
            return f"a neuron is #{edit.identity}"
        case Accept():
            return f"#{edit.identity} accepted"
        case Swap():
            return f"#{edit.first} ↔ #{edit.second}"
        case MergeIdentities():
            return f"#{edit.gone} becomes #{edit.kept}"
        case SplitIdentity():
            return f"#{edit.identity} becomes #{edit.new}"
    return ""


def _describe_volume_act(edit: AnyEdit) -> str:
    match edit:
        case ReviewVolume():
            return "all reviewed" if edit.reviewed else "review taken back"
        case FlagUnusable():
            return (
                f"flagged unusable ({edit.reason})"
                if edit.unusable and edit.reason
                else ("flagged unusable" if edit.unusable else "usable after all")
            )
        case SetHead():
            return "head and axes set" if edit.head else "head and axes left to the machine"
        case SetVolume():
            return f"{say_count(len(edit.marks), 'neuron')} laid down"
    return ""


def _describe_shape_act(edit: AnyEdit) -> str:
    match edit:
        case AddNeuron():
            name = "" if edit.identity is None or edit.identity < 0 else f" #{edit.identity}"
            return f"new neuron{name}"
        case MergeNeurons():
            return "two neurons merged"
        case SplitNeuron():
            return f"a neuron split at frame {edit.z}"
    verb, _, what = edit.kind.partition("_")
    past = {"add": "added", "move": "moved", "resize": "resized", "delete": "deleted", "note": "noted"}.get(verb, verb)
    frame = getattr(getattr(edit, "box", edit), "z", None)
    where = "" if frame is None else f", frame {frame},"
    return f"{what}{where} {past}"


def _describe_volumes(volumes: Iterable[int]) -> str:
    """``volume 4``, ``volumes 400–432``, ``volumes 3–40 (5 of them)``."""
    found = sorted(volumes)
    if not found:
        return "no volume"
    if len(found) == 1:
        return f"volume {found[0]}"
    gaps = "" if found[-1] - found[0] + 1 == len(found) else f" ({len(found)} of them)"
    return f"volumes {found[0]}–{found[-1]}{gaps}"
