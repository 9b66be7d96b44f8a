"""Every kind of edit: what it does, its inverse, its words, and what is refused."""

import pytest
from pydantic import ValidationError

from cender.annotate import State, apply_edit, describe_edit, parse_edit
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
    ReviewIdentity,
    ReviewVolume,
    SetHead,
    SetVolume,
    SplitIdentity,
    SplitNeuron,
    Swap,
)
from cender.annotate.marks import Box, HeadMark, Mark, Spot
from cender.errors import EditError


def box(z: int, x: float = 10.0) -> Box:
    return Box(z=z, x=x, y=5.0, w=4.0, h=3.0)


BOXES = (box(2), box(3))
ONE = Spot(volume=4, key="m1", place_um=(1, 2, 3), boxes=BOXES)
TWO = Spot(volume=4, key="m2", place_um=(9, 2, 3), boxes=(box(3, 50.0), box(4, 50.0)))
MINE = Spot(volume=4, key="h1")
HEAD = HeadMark(origin_yx=(1, 2), anterior_yx=(0, 1), ventral_yx=(1, 0))
ADDED = AddNeuron(volume=4, key="h1", centre_um=(5, 5, 5), boxes=BOXES, identity=40)


def start() -> State:
    """Volume 4: ``m1`` is #17, a person made ``h1`` and called it #40."""
    state = State()
    for edit in (Assign(spots=(ONE,), identity=17), ADDED):
        state, _ = apply_edit(state, edit)
    return state


def later(key: str, volume: int) -> Spot:
    return Spot(volume=volume, key=key, place_um=(1, 2, 3))


EDITS: list[tuple[AnyEdit, str]] = [
    (AddNeuron(volume=4, key="h2", centre_um=(1, 1, 1), identity=9), "new neuron #9 in volume 4"),
    (MoveNeuron(spot=ONE, centre_um=(1, 2, 4)), "neuron moved in volume 4"),
    (DeleteNeuron(spot=ONE), "neuron deleted in volume 4"),
    (DeleteNeuron(spot=MINE), "neuron deleted in volume 4"),
    (AddRegion(spot=ONE, box=box(4)), "region, frame 4, added in volume 4"),
    (MoveRegion(spot=ONE, box=box(3, 11.0)), "region, frame 3, moved in volume 4"),
    (ResizeRegion(spot=MINE, box=Box(z=3, x=1, y=1, w=9, h=9)), "region, frame 3, resized in volume 4"),
    (DeleteRegion(spot=ONE, z=2), "region, frame 2, deleted in volume 4"),
    (MergeNeurons(kept=ONE, gone=TWO, centre_um=(3, 2, 3)), "two neurons merged in volume 4"),
    (
        SplitNeuron(spot=MINE, z=3, key="h9", centre_um=(2, 5, 5), new_centre_um=(3, 5, 5)),
        "a neuron split at frame 3 in volume 4",
    ),
    (Assign(spots=(TWO,), identity=23), "a neuron is #23 in volume 4"),
    (Assign(spots=(ONE,), identity=-1), "a neuron has no identity in volume 4"),
    (Assign(spots=(ONE,), identity=None), "identity of a neuron left to the machine in volume 4"),
    (Assign(spots=(later("m1", 8), later("m3", 9)), identity=23), "a neuron is #23 in volumes 8–9"),
    (Accept(spot=TWO, identity=23), "#23 accepted in volume 4"),
    (Swap(first=17, second=23, first_spots=(ONE,), second_spots=(TWO,)), "#17 ↔ #23 in volume 4"),
    (
        Swap(first=17, second=23, first_spots=tuple(later("m1", v) for v in range(400, 433))),
        "#17 ↔ #23 in volumes 400–432",
    ),
    (MergeIdentities(kept=17, gone=23, spots=(later("m5", 8),)), "#23 becomes #17 in volume 8"),
    (
        SplitIdentity(identity=17, new=99, spots=(ONE, later("m5", 8))),
        "#17 becomes #99 in volumes 4–8 (2 of them)",
    ),
    (ReviewVolume(volume=4, accepted=(Named(spot=TWO, identity=5),)), "all reviewed in volume 4"),
    (ReviewIdentity(identity=17), "#17 reviewed"),
    (FlagUnusable(volume=4, reason="blurred"), "flagged unusable (blurred) in volume 4"),
    (SetHead(volume=4, head=HEAD), "head and axes set in volume 4"),
    (NameIdentity(identity=17, name="AVAL"), "#17 is called AVAL"),
    (NoteIdentity(identity=17, note="bright"), "note on #17"),
    (NoteVolume(volume=4, note="look again"), "volume noted in volume 4"),
    (
        SetVolume(volume=4, marks=(Mark(key="h0", centre_um=(1, 2, 3), identity=3),), complete=True),
        "1 neuron laid down in volume 4",
    ),
    (Batch(words="points.csv", edits=(ReviewVolume(volume=4), ReviewIdentity(identity=3))), "points.csv"),
    (
        Propagate(source=3, volume=4, edits=(Assign(spots=(TWO,), identity=23),)),
        "copied from volume 3 to volume 4",
    ),
]


@pytest.mark.parametrize(("edit", "words"), EDITS, ids=[f"{edit.kind}-{i}" for i, (edit, _) in enumerate(EDITS)])
def test_every_edit_changes_something_can_be_taken_back_and_has_words(edit: AnyEdit, words: str) -> None:
    state = start()
    after, inverse = apply_edit(state, edit)
    assert after != state
    back, again = apply_edit(after, inverse)
    assert back == state
    assert apply_edit(back, again)[0] == after
    assert describe_edit(edit) == words
    assert parse_edit(edit.model_dump_json()) == edit, "it travels as JSON"


def test_kinds_are_all_covered() -> None:
    kinds = {edit.kind for edit, _ in EDITS}
    assert len(kinds) == 24


def test_a_number_is_taken_from_the_neuron_that_had_it() -> None:
    after, _ = apply_edit(start(), Assign(spots=(TWO,), identity=17))
    marks = after.volume(4).marks
    assert (marks["m1"].identity, marks["m2"].identity) == (-1, 17)


def test_swap_within_a_volume_keeps_both() -> None:
    state, _ = apply_edit(start(), Assign(spots=(TWO,), identity=23))
    after, _ = apply_edit(state, Swap(first=17, second=23, first_spots=(ONE,), second_spots=(TWO,)))
    marks = after.volume(4).marks
    assert (marks["m1"].identity, marks["m2"].identity) == (23, 17)


def test_merged_neurons_share_their_boxes() -> None:
    after, _ = apply_edit(start(), MergeNeurons(kept=ONE, gone=TWO, centre_um=(3, 2, 3)))
    marks = after.volume(4).marks
    assert [one.z for one in marks["m1"].boxes or ()] == [2, 3, 4]
    assert marks["m1"].identity == 17
    assert marks["m2"].removed


def test_split_neurons_share_theirs_out() -> None:
    edit = SplitNeuron(spot=MINE, z=3, key="h9", centre_um=(2, 5, 5), new_centre_um=(3, 5, 5))
    marks = apply_edit(start(), edit)[0].volume(4).marks
    assert ([one.z for one in marks["h1"].boxes or ()], [one.z for one in marks["h9"].boxes or ()]) == ([2], [3])
    assert (marks["h1"].identity, marks["h9"].identity) == (40, None)


def test_what_says_nothing_any_more_is_gone() -> None:
    after, _ = apply_edit(start(), Assign(spots=(ONE,), identity=None))
    assert list(after.volume(4).marks) == ["h1"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (DeleteNeuron(spot=Spot(volume=4, key="h7")), "no neuron h7 any more"),
        (Assign(spots=(Spot(volume=4, key="m7"),), identity=3), "must say where"),
        (AddNeuron(volume=4, key="h1", centre_um=(1, 1, 1)), "expected a new key"),
        (AddRegion(spot=ONE, box=box(3)), "has a box already in frame 3"),
        (MoveRegion(spot=ONE, box=box(7)), "has no box in frame 7"),
        (MoveRegion(spot=Spot(volume=4, key="m3", place_um=(0, 0, 0)), box=box(7)), "must bring the machine's boxes"),
        (DeleteRegion(spot=ONE, z=9), "has no box in frame 9"),
        (MergeNeurons(kept=ONE, gone=ONE, centre_um=(1, 1, 1)), "two neurons of one volume"),
        (SplitNeuron(spot=MINE, z=9, key="h9", centre_um=(1, 1, 1), new_centre_um=(1, 1, 1)), "both sides"),
        (Assign(spots=(ONE, TWO), identity=3), "two neurons cannot both be #3"),
        (Swap(first=3, second=3, first_spots=(ONE,)), "two different identities"),
        (SplitIdentity(identity=3, new=3, spots=(ONE,)), "expected a new number"),
        (SetHead(volume=4, head=HEAD.model_copy(update={"ventral_yx": (0.0, 0.0)})), "must point somewhere"),
        (SetVolume(volume=4, marks=(Mark(key="h0", identity=3),)), "no place"),
        (ReviewVolume(volume=5, accepted=(Named(spot=ONE, identity=3),)), "neurons of this volume only"),
        (AddNeuron(volume=4, key="h3", centre_um=(1, 1, 1), boxes=(box(1), box(1))), "at most one box"),
    ],
)
def test_contradictions_are_refused(edit: AnyEdit, words: str) -> None:
    with pytest.raises(EditError, match=words):
        apply_edit(start(), edit)


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "assign", "spots": [], "identity": 3}',
        '{"kind": "restore", "saved": []}',
        '{"kind": "assign", "spots": [{"volume": 1, "key": "../x"}], "identity": 3}',
        '{"kind": "review_volume", "volume": 1, "reviewed": true, "more": 1}',
        '{"kind": "add_neuron", "volume": 1, "key": "h1", "centre_um": [1, 2, "NaN"]}',
        '{"kind": "nothing"}',
    ],
)
def test_what_is_no_edit_of_a_person_is_not_read(text: str) -> None:
    with pytest.raises(ValidationError):
        parse_edit(text)
