"""Random edits, undo, redo, crashes and reloads, by two people, against a model that is plain Python."""

import shutil
import tempfile
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import find, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cender.annotate.apply import apply_edit
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
    Named,
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
from cender.annotate.marks import Box, HeadMark, Mark, Spot
from cender.annotate.slots import Slot
from cender.annotate.state import State, arrange_identities, arrange_volumes
from cender.errors import EditError
from cender.io.results.annotations.log import Conflict, EditLog

PEOPLE = st.sampled_from(["ana", "ben"])
VOLUMES = st.integers(0, 1)
NUMBERS = st.integers(0, 3)


PLACE = (4.0, 4.0, 4.0)
FRAMES = st.integers(0, 3)
BOXES = tuple(Box(z=z, x=1.0, y=2.0, w=3.0, h=3.0) for z in range(3))


@st.composite
def spots(draw: st.DrawFn, volumes: st.SearchStrategy[int] = VOLUMES) -> Spot:
    row = draw(st.integers(0, 2))
    key = draw(st.sampled_from(["m", "h"])) + str(row)
    return Spot(volume=draw(volumes), key=key, place_um=(1.0, 2.0, 9.0 * row), boxes=BOXES)


@st.composite
def marks(draw: st.DrawFn) -> tuple[Mark, ...]:
    keys = draw(st.lists(st.sampled_from(["h0", "h1", "m0"]), unique=True, max_size=3))
    return tuple(Mark(key=key, centre_um=PLACE, identity=draw(st.none() | NUMBERS)) for key in keys)


@st.composite
def merges(draw: st.DrawFn) -> MergeNeurons:
    here = st.just(draw(VOLUMES))
    return MergeNeurons(kept=draw(spots(here)), gone=draw(spots(here)), centre_um=PLACE)


BOX = st.builds(Box, z=FRAMES, x=st.just(5.0), y=st.just(5.0), w=st.sampled_from([2.0, 4.0]), h=st.just(2.0))
SOME = st.tuples(spots()) | st.tuples(spots(), spots())
HEAD = st.builds(
    HeadMark,
    origin_yx=st.just((9.0, 9.0)),
    anterior_yx=st.sampled_from([(0.0, 1.0), (0.0, 0.0)]),
    ventral_yx=st.just((1.0, 0.0)),
)
WORDS = st.sampled_from(["", "turns", "blurred"])
NEURON_EDITS: tuple[st.SearchStrategy[AnyEdit], ...] = (
    st.builds(
        AddNeuron,
        volume=VOLUMES,
        key=st.sampled_from(["h0", "h1", "h2"]),
        centre_um=st.just((1.0, 1.0, 1.0)),
        boxes=st.sampled_from([(), BOXES]),
        identity=st.none() | NUMBERS,
    ),
    st.builds(MoveNeuron, spot=spots(), centre_um=st.just(PLACE), boxes=st.sampled_from([None, BOXES[:2]])),
    st.builds(DeleteNeuron, spot=spots()),
    st.builds(AddRegion, spot=spots(), box=BOX),
    st.builds(MoveRegion, spot=spots(), box=BOX, centre_um=st.none() | st.just(PLACE)),
    st.builds(ResizeRegion, spot=spots(), box=BOX),
    st.builds(DeleteRegion, spot=spots(), z=FRAMES),
    merges(),
    st.builds(
        SplitNeuron,
        spot=spots(),
        z=FRAMES,
        key=st.sampled_from(["h1", "h2"]),
        centre_um=st.just(PLACE),
        new_centre_um=st.just((1.0, 1.0, 1.0)),
    ),
)
IDENTITY_EDITS: tuple[st.SearchStrategy[AnyEdit], ...] = (
    st.builds(Assign, spots=SOME, identity=st.none() | st.integers(-1, 3)),
    st.builds(Accept, spot=spots(), identity=NUMBERS),
    st.builds(Swap, first=NUMBERS, second=NUMBERS, first_spots=st.tuples(spots()), second_spots=st.tuples(spots())),
    st.builds(MergeIdentities, kept=NUMBERS, gone=NUMBERS, spots=SOME),
    st.builds(SplitIdentity, identity=NUMBERS, new=NUMBERS, spots=SOME),
    st.builds(ReviewIdentity, identity=NUMBERS, reviewed=st.booleans()),
    st.builds(NameIdentity, identity=NUMBERS, name=st.sampled_from(["", "AVAL", "RIA"])),
    st.builds(NoteIdentity, identity=NUMBERS, note=WORDS),
)
VOLUME_EDITS: tuple[st.SearchStrategy[AnyEdit], ...] = (
    st.builds(
        ReviewVolume,
        volume=VOLUMES,
        reviewed=st.booleans(),
        accepted=st.just(()) | st.tuples(st.builds(Named, spot=spots(), identity=st.integers(-1, 3))),
    ),
    st.builds(FlagUnusable, volume=VOLUMES, unusable=st.booleans(), reason=WORDS),
    st.builds(SetHead, volume=VOLUMES, head=st.none() | HEAD),
    st.builds(NoteVolume, volume=VOLUMES, note=WORDS),
    st.builds(SetVolume, volume=VOLUMES, marks=marks(), complete=st.booleans()),
)
SINGLE: st.SearchStrategy[AnyEdit] = st.one_of(*NEURON_EDITS, *IDENTITY_EDITS, *VOLUME_EDITS)
SEVERAL = st.lists(SINGLE, min_size=1, max_size=3).map(tuple)
EDITS: st.SearchStrategy[AnyEdit] = st.one_of(
    *NEURON_EDITS,
    *IDENTITY_EDITS,
    *VOLUME_EDITS,
    st.builds(Batch, words=WORDS, edits=SEVERAL),
    st.builds(Propagate, source=VOLUMES, volume=VOLUMES, edits=SEVERAL),
)


class Model:
    """The same promises, kept in memory: a state, for each person what can be undone and redone, and who was where.

    ``last`` says who changed a slot last, and in which revision; an identity that a neuron lost or got counts as well.
    """

    def __init__(self) -> None:
        self.state = State()
        self.undo: dict[str, list[tuple[State, State]]] = {"ana": [], "ben": []}
        self.redo: dict[str, list[tuple[State, State]]] = {"ana": [], "ben": []}
        self.last: dict[Slot, tuple[int, str]] = {}
        self.count = 0

    def append(self, author: str, edit: AnyEdit, base: int | None) -> bool:
        """Make an edit; False where somebody else has changed the same since the revision ``base``."""
        before = self.state
        after, _ = apply_edit(before, edit)
        places = list_places(before, after)
        newer = [self.last[place] for place in places if place in self.last and self.last[place][0] > (base or 0)]
        if base is not None and any(other != author for _, other in newer):
            return False
        if after != before:
            self.go_to(after, author)
            self.undo[author].append((before, after))
            self.redo[author].clear()
        return True

    def go_to(self, after: State, author: str) -> None:
        self.count += 1
        self.last |= dict.fromkeys(list_places(self.state, after), (self.count, author))
        self.state = after

    def turn(self, author: str, take: list[tuple[State, State]], give: list[tuple[State, State]]) -> bool:
        """Bring the slots that an edit changed to their other values; False where somebody is in the way."""
        now, then = take[-1]
        slots = [slot for slot in {**now.values, **then.values} if now.values.get(slot) != then.values.get(slot)]
        if any(self.state.values.get(slot) != now.values.get(slot) for slot in slots):
            return False
        after = self.state.replace({slot: then.values.get(slot) for slot in slots})
        for volume in arrange_volumes(after.values).values():
            given = [
                mark.identity for mark in volume.marks.values() if mark.identity is not None and mark.identity >= 0
            ]
            if len(given) != len(set(given)):
                return False
        self.go_to(after, author)
        take.pop()
        give.append((then, now))
        return True


def list_places(before: State, after: State) -> set[Slot]:
    """Slots whose values differ, and identities that their neurons have before or after."""
    slots = {slot for slot in {**before.values, **after.values} if before.values.get(slot) != after.values.get(slot)}
    values = [(slot, state.values.get(slot)) for slot in slots for state in (before, after)]
    named = [(slot, mark.identity) for slot, mark in values if isinstance(mark, Mark) and mark.identity is not None]
    return slots | {Slot("claim", slot.number, str(identity)) for slot, identity in named if identity >= 0}


class EditLogMachine(RuleBasedStateMachine):
    """Two programs write the same folder; one of them dies now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.logs = {"ana": EditLog(self.folder), "ben": EditLog(self.folder)}
        self.model = Model()

    def teardown(self) -> None:
        for log in self.logs.values():
            log.close()
        shutil.rmtree(self.folder)

    @rule(author=PEOPLE, edit=EDITS, behind=st.none() | st.integers(0, 6))
    def make_edit(self, author: str, edit: AnyEdit, behind: int | None) -> None:
        base = None if behind is None else max(self.model.count - behind, 0)
        try:
            made = self.model.append(author, edit, base)
        except EditError:
            with pytest.raises(EditError):
                self.logs[author].append(author, edit, base)
            return
        got = self.logs[author].append(author, edit, base)
        assert got == self.model.count if made else isinstance(got, Conflict)

    @rule(author=PEOPLE)
    def undo(self, author: str) -> None:
        got = self.logs[author].undo(author)
        stack = [(after, before) for before, after in self.model.undo[author]]
        self.check_turn(author, got, stack, self.model.undo[author], self.model.redo[author])

    @rule(author=PEOPLE)
    def redo(self, author: str) -> None:
        got = self.logs[author].redo(author)
        stack = [(after, before) for before, after in self.model.redo[author]]
        self.check_turn(author, got, stack, self.model.redo[author], self.model.undo[author])

    def check_turn(self, author, got, stack, take, give) -> None:
        if not stack:
            assert got is None
            return
        turned: list[tuple[State, State]] = []
        if self.model.turn(author, stack, turned):
            take.pop()
            give.append(turned[0][::-1])
            assert got == self.model.count
        else:
            assert isinstance(got, Conflict)

    @rule(author=PEOPLE)
    def reload(self, author: str) -> None:
        self.logs[author].close()

    @rule(author=PEOPLE)
    def crash(self, author: str) -> None:
        """The folder as a power cut would leave it: files as they are, a transaction open, nothing closed."""
        copy = Path(tempfile.mkdtemp()) / "worm"
        base = self.logs[author]._write()
        base.execute("BEGIN IMMEDIATE")
        base.execute("INSERT INTO edits (time, author, action, edit, before, after) VALUES ('', 'x', 'do', '', '', '')")
        shutil.copytree(self.folder, copy)
        base.execute("ROLLBACK")
        with EditLog(copy) as log:
            self.compare(log)
        shutil.rmtree(copy.parent)

    @rule()
    def rebuild(self) -> None:
        if self.model.count:
            self.logs["ben"].rebuild()

    @invariant()
    def the_log_says_what_the_model_says(self) -> None:
        self.compare(self.logs["ana"])

    def compare(self, log: EditLog) -> None:
        assert log.revision == self.model.count
        assert log.states() == arrange_volumes(self.model.state.values)
        assert log.given() == {int(place.key) for place in self.model.last if place.space == "claim"}
        assert log.identities() == arrange_identities(self.model.state.values)
        for author in ("ana", "ben"):
            lengths = tuple(len(side) for side in log.history(author))
            assert lengths == (len(self.model.undo[author]), len(self.model.redo[author]))


def test_every_kind_of_edit_is_drawn() -> None:
    """What people can send and what the machine above draws are the same."""
    drawn = {type(find(one, lambda _: True)) for one in (*NEURON_EDITS, *IDENTITY_EDITS, *VOLUME_EDITS)}
    assert drawn | {Batch, Propagate, Restore} == set(get_args(AnyEdit))


TestEditLog = EditLogMachine.TestCase
TestEditLog.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
