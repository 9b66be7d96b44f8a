"""Random edits, undo, redo, crashes and reloads, by two people, against a model that is plain Python."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cender.annotate.apply import apply_edit
from cender.annotate.edits import AddNeuron, AnyEdit, Assign, DeleteNeuron, FlagUnusable, MoveNeuron, NameIdentity, Swap
from cender.annotate.marks import Spot
from cender.annotate.state import State, arrange_identities, arrange_volumes
from cender.errors import EditError
from cender.io.results.annotations.log import Conflict, EditLog

PEOPLE = st.sampled_from(["ana", "ben"])
VOLUMES = st.integers(0, 1)
NUMBERS = st.integers(0, 3)


@st.composite
def spots(draw: st.DrawFn) -> Spot:
    row = draw(st.integers(0, 2))
    return Spot(volume=draw(VOLUMES), key=draw(st.sampled_from(["m", "h"])) + str(row), place_um=(1.0, 2.0, 9.0 * row))


EDITS: st.SearchStrategy[AnyEdit] = st.one_of(
    st.builds(Assign, spots=st.tuples(spots()), identity=st.none() | st.integers(-1, 3)),
    st.builds(Swap, first=NUMBERS, second=NUMBERS, first_spots=st.tuples(spots()), second_spots=st.tuples(spots())),
    st.builds(
        AddNeuron,
        volume=VOLUMES,
        key=st.sampled_from(["h0", "h1", "h2"]),
        centre_um=st.just((1.0, 1.0, 1.0)),
        identity=st.none() | NUMBERS,
    ),
    st.builds(DeleteNeuron, spot=spots()),
    st.builds(MoveNeuron, spot=spots(), centre_um=st.just((4.0, 4.0, 4.0))),
    st.builds(FlagUnusable, volume=VOLUMES, unusable=st.booleans()),
    st.builds(NameIdentity, identity=NUMBERS, name=st.sampled_from(["", "AVAL", "RIA"])),
)


class Model:
    """The same promises, kept in memory: a state, and for each person what can be undone and redone."""

    def __init__(self) -> None:
        self.state = State()
        self.undo: dict[str, list[tuple[State, State]]] = {"ana": [], "ben": []}
        self.redo: dict[str, list[tuple[State, State]]] = {"ana": [], "ben": []}
        self.count = 0

    def append(self, author: str, edit: AnyEdit) -> None:
        before = self.state
        self.state, _ = apply_edit(before, edit)
        if self.state == before:
            return
        self.count += 1
        self.undo[author].append((before, self.state))
        self.redo[author].clear()

    def turn(self, take: list[tuple[State, State]], give: list[tuple[State, State]]) -> bool:
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
        self.state = after
        self.count += 1
        take.pop()
        give.append((then, now))
        return True


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

    @rule(author=PEOPLE, edit=EDITS)
    def make_edit(self, author: str, edit: AnyEdit) -> None:
        try:
            self.model.append(author, edit)
        except EditError:
            try:
                self.logs[author].append(author, edit)
            except EditError:
                return
            raise AssertionError("the log took what the model refuses") from None
        assert self.logs[author].append(author, edit) == self.model.count

    @rule(author=PEOPLE)
    def undo(self, author: str) -> None:
        got = self.logs[author].undo(author)
        stack = [(after, before) for before, after in self.model.undo[author]]
        self.check_turn(got, stack, self.model.undo[author], self.model.redo[author])

    @rule(author=PEOPLE)
    def redo(self, author: str) -> None:
        got = self.logs[author].redo(author)
        stack = [(after, before) for before, after in self.model.redo[author]]
        self.check_turn(got, stack, self.model.redo[author], self.model.undo[author])

    def check_turn(self, got, stack, take, give) -> None:
        if not stack:
            assert got is None
            return
        turned: list[tuple[State, State]] = []
        if self.model.turn(stack, turned):
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
        assert log.identities() == arrange_identities(self.model.state.values)
        for author in ("ana", "ben"):
            lengths = tuple(len(side) for side in log.history(author))
            assert lengths == (len(self.model.undo[author]), len(self.model.redo[author]))


TestEditLog = EditLogMachine.TestCase
TestEditLog.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
