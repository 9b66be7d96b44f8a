"""Where a file says something else than people have said in the run folder before."""

from collections.abc import Mapping, Sequence
from typing import Literal

from cender.annotate.edits import AnyEdit, NameIdentity, SetHead, SetVolume
from cender.annotate.state import IdentityState, VolumeState
from cender.errors import EditError
from cender.types.words import say_count

Policy = Literal["refuse", "replace", "keep"]
_SHOWN = 4
"""Conflicts that a message lists."""


def settle_conflicts(
    edits: Sequence[AnyEdit],
    volumes: Mapping[int, VolumeState],
    identities: Mapping[int, IdentityState],
    policy: Policy,
    where: str,
) -> tuple[list[AnyEdit], tuple[str, ...]]:
    """Edits without those that say nothing new, and in words what became of people's earlier work.

    With ``refuse`` any contradiction is an `EditError`; with ``keep`` the earlier work stays and the contradicting
    edit is left out; with ``replace`` the file goes before it.
    """
    fresh = [edit for edit in edits if not _is_known(edit, volumes, identities)]
    contradicting = {at: said for at, edit in enumerate(fresh) if (said := _find(edit, volumes, identities))}
    if not contradicting:
        return fresh, ()
    listed = ", ".join([*list(contradicting.values())[:_SHOWN], *(["…"] if len(contradicting) > _SHOWN else [])])
    places = say_count(len(contradicting), "place")
    if policy == "refuse":
        raise EditError(
            f"{where} says something else than people have said before in {places} ({listed}); "
            "nothing was imported. Give --conflict replace to put the file in their place (one undo takes it back), or "
            "--conflict keep to import only the rest"
        )
    if policy == "keep":
        kept = [edit for at, edit in enumerate(fresh) if at not in contradicting]
        return kept, (f"people's earlier work stays in {places}: {listed}",)
    return fresh, (f"people's earlier work is replaced in {places}: {listed}; one undo restores it",)


def _is_known(edit: AnyEdit, volumes: Mapping[int, VolumeState], identities: Mapping[int, IdentityState]) -> bool:
    if isinstance(edit, SetVolume):
        state = volumes.get(edit.volume)
        marks = {mark.key: mark for mark in edit.marks}
        return state is not None and state.marks == marks and state.complete == edit.complete
    if isinstance(edit, SetHead):
        return edit.volume in volumes and volumes[edit.volume].head == edit.head
    if isinstance(edit, NameIdentity):
        return edit.identity in identities and identities[edit.identity].name == edit.name
    return False


def _find(edit: AnyEdit, volumes: Mapping[int, VolumeState], identities: Mapping[int, IdentityState]) -> str:
    """What people said that the edit would replace; empty where they said nothing."""
    if isinstance(edit, SetVolume) and (state := volumes.get(edit.volume)) is not None:
        marked = sum(not mark.says_nothing for mark in state.marks.values())
        return f"volume {edit.volume}: {say_count(marked, 'neuron')}" if marked or state.complete else ""
    if isinstance(edit, SetHead) and edit.volume in volumes and volumes[edit.volume].head is not None:
        return f"volume {edit.volume}: the head"
    if isinstance(edit, NameIdentity) and edit.identity in identities and identities[edit.identity].name:
        return f"identity {edit.identity}: called {identities[edit.identity].name}, {edit.name} in the file"
    return ""
