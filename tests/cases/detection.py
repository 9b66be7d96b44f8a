"""Cases of finding neurons: each with its figures worked out by hand."""

from cases.building import Case, Neuron, detection, errors, recording, volume


def perfect() -> Case:
    neurons = [Neuron(0, identity=0), Neuron(8, identity=1), Neuron(16, identity=2)]
    side = recording(volume(0, *neurons))
    expected = {
        **detection("detection_2d", 1, 1, 1),
        **detection("detection_3d", 1, 1, 1),
        **detection("centre", 1, 1, 1),
        **errors("detection"),
        **errors("identity", right=3),
        "identity.accuracy": 1,
        "identity.accuracy_all": 1,
        "identity.worst_5pct": 1,
        "identity.recall_at_95_strict": 1,
        "identity.calibration_error": 0,
        "traces.complete": 1,
        "traces.correlation": None,
        "axes.accuracy": None,
    }
    return Case("perfect", "Everything is found and identified right.", side, side, expected)


def missed_neuron() -> Case:
    truth = [Neuron(0, identity=0), Neuron(8, identity=1), Neuron(16, identity=2)]
    expected = {
        **detection("detection_2d", 1, 2 / 3, 0.8),
        **detection("detection_3d", 1, 2 / 3, 0.8),
        **detection("centre", 1, 2 / 3, 0.8),
        **errors("detection", missed=1),
        **errors("identity", right=2, missed=1),
        "identity.accuracy": 2 / 3,
    }
    story = "One of three neurons is not found: 2 of 3, and its identity is missed with it."
    return Case("missed neuron", story, recording(volume(0, *truth)), recording(volume(0, *truth[:2])), expected)


def false_neuron() -> Case:
    found = [Neuron(0, identity=0), Neuron(8, identity=1), Neuron(16)]
    expected = {
        **detection("detection_2d", 2 / 3, 1, 0.8),
        **detection("detection_3d", 2 / 3, 1, 0.8),
        **detection("centre", 2 / 3, 1, 0.8),
        **errors("detection", false=1),
        "identity.accuracy": 1,
    }
    story = "A third neuron is found where there is none."
    return Case("false neuron", story, recording(volume(0, *found[:2])), recording(volume(0, *found)), expected)


def touching_neurons_merged() -> Case:
    truth = [Neuron(0), Neuron(4)]
    expected = {
        # 16 of 32 pixels shared with each neuron: IoU 0.5, and only one of them can have it.
        **detection("detection_2d", 1, 1 / 2, 2 / 3),
        **detection("detection_3d", 1, 1 / 2, 2 / 3),
        # The centre of the long box is exactly 2 µm from both.
        **detection("centre", 1, 1 / 2, 2 / 3),
        **errors("detection", merged=1),
    }
    story = "Two touching neurons are found as one: IoU 0.5 with each, matched to one of them."
    predicted = recording(volume(0, Neuron(0, size=8)))
    return Case("touching neurons merged", story, recording(volume(0, *truth)), predicted, expected)


def neuron_split_across_z() -> Case:
    predicted = [Neuron(0, frames=range(3)), Neuron(0, frames=range(3, 6))]
    expected = {
        **detection("detection_2d", 1, 1, 1),
        # Each half has IoU 3/6 with the whole.
        **detection("detection_3d", 1 / 2, 1, 2 / 3),
        **detection("centre", 1 / 2, 1, 2 / 3),
        **errors("detection", split=1),
    }
    story = "One neuron of six frames is found as two of three: every box is right, one neuron is too many."
    truth = recording(volume(0, Neuron(0, frames=range(6))))
    return Case("neuron split across z", story, truth, recording(volume(0, *predicted)), expected)


def _shifted(name: str, story: str, shift: float, matched: bool, size: float = 10.0) -> Case:
    share = 1 if matched else 0
    expected = {
        **detection("detection_2d", share, share, share),
        **detection("detection_3d", share, share, share),
        **detection("centre", 0, 0, 0),
        **(errors("detection") if matched else errors("detection", missed=1, false=1)),
    }
    truth = recording(volume(0, Neuron(0, size=size)))
    return Case(name, story, truth, recording(volume(0, Neuron(shift, size=size))), expected)


def shifted_just_above() -> Case:
    story = "Shifted by 5 of 10 pixels: IoU 5/15 = 0.33 is a match, though the centres are 5 µm apart."
    return _shifted("shifted, IoU just above 0.3", story, 5.0, True)


def shifted_just_below() -> Case:
    story = "Shifted by 5.5 of 10 pixels: IoU 4.5/15.5 = 0.29 is none; one neuron missed, one false."
    return _shifted("shifted, IoU just below 0.3", story, 5.5, False)


def shifted_exactly() -> Case:
    story = "Shifted by 7 of 13 pixels: IoU 6/20 is exactly 0.3, and not above it."
    case = _shifted("shifted, IoU exactly 0.3", story, 7.0, False, size=13.0)
    return case


def gap_in_z() -> Case:
    expected = {
        **detection("detection_2d", 1, 4 / 5, 8 / 9),
        **detection("detection_3d", 1, 1, 1),
        **detection("centre", 1, 1, 1),
        **errors("detection"),
    }
    story = "The middle frame of five is not found: 4 of 5 boxes, but still one neuron (IoU 4/5)."
    truth = recording(volume(0, Neuron(0, frames=range(5))))
    return Case("gap in z", story, truth, recording(volume(0, Neuron(0, frames=(0, 1, 3, 4)))), expected)


def other_frames() -> Case:
    expected = {
        **detection("detection_2d", 0, 0, 0),
        **detection("detection_3d", 0, 0, 0),
        **detection("centre", 0, 0, 0),
        **errors("detection", missed=1, false=1),
    }
    story = "The same place, but other frames: boxes of different frames never match."
    truth = recording(volume(0, Neuron(0, frames=(0, 1, 2))))
    return Case("right place, wrong frames", story, truth, recording(volume(0, Neuron(0, frames=(3, 4, 5)))), expected)


def greedy_trap() -> Case:
    truth = [Neuron(0, size=10), Neuron(6, size=10)]
    predicted = [Neuron(1, size=10), Neuron(-5, size=10)]
    expected = {
        **detection("detection_2d", 1, 1, 1),
        **detection("detection_3d", 1, 1, 1),
        **errors("detection"),
    }
    story = (
        "Taking the best pair first (IoU 0.82) leaves the other two without a partner; two pairs of 0.33 are "
        "the better answer."
    )
    return Case(
        "greedy matching would find fewer",
        story,
        recording(volume(0, *truth)),
        recording(volume(0, *predicted)),
        expected,
    )


def threshold_trap() -> Case:
    truth = [Neuron(0, size=10), Neuron(8.5, size=10)]
    predicted = [Neuron(3, size=10), Neuron(-5.5, size=10)]
    expected = {
        **detection("detection_2d", 1 / 2, 1 / 2, 1 / 2),
        **detection("detection_3d", 1 / 2, 1 / 2, 1 / 2),
        **errors("detection", missed=1, false=1),
    }
    story = (
        "Two pairs of IoU 0.29 sum to more than one pair of 0.54, but are none: pairs below the threshold do "
        "not compete."
    )
    return Case(
        "weak pairs must not displace",
        story,
        recording(volume(0, *truth)),
        recording(volume(0, *predicted)),
        expected,
    )


def order_must_not_matter() -> Case:
    neurons = [Neuron(0, identity=4), Neuron(3, identity=2), Neuron(9, identity=7), Neuron(15)]
    expected = {
        **detection("detection_2d", 1, 1, 1),
        **detection("detection_3d", 1, 1, 1),
        **detection("centre", 1, 1, 1),
        "identity.accuracy": 1,
    }
    story = "The same neurons in reverse order, two of them overlapping: still perfect."
    predicted = recording(volume(0, *neurons[::-1]))
    return Case("order must not matter", story, recording(volume(0, *neurons)), predicted, expected)


def empty_prediction() -> Case:
    expected = {
        **detection("detection_2d", None, 0, 0),
        **detection("detection_3d", None, 0, 0),
        **detection("centre", None, 0, 0),
        **errors("detection", missed=2),
        **errors("identity", missed=2),
        "identity.accuracy": 0,
        "identity.recall_at_95_strict": 0,
        "identity.calibration_error": None,
    }
    story = "Nothing is found: recall 0, and precision has no answer."
    truth = recording(volume(0, Neuron(0, identity=0), Neuron(8, identity=1)))
    return Case("empty prediction", story, truth, recording(volume(0)), expected)


def volume_not_processed() -> Case:
    neurons = [Neuron(0, identity=0), Neuron(8, identity=1)]
    expected = {
        **detection("detection_2d", 1, 1 / 2, 2 / 3),
        **detection("detection_3d", 1, 1 / 2, 2 / 3),
        **detection("centre", 1, 1 / 2, 2 / 3),
        "identity.accuracy": 1 / 2,
        "identity.worst_5pct": 0,
        "provenance.missing": 1,
        "traces.complete": 0,
    }
    story = "The second volume failed: its neurons are missed, not left out."
    truth = recording(volume(0, *neurons), volume(1, *neurons))
    return Case("volume not processed", story, truth, recording(volume(0, *neurons)), expected)


def empty_truth() -> Case:
    expected = {
        **detection("detection_2d", 0, None, 0),
        **detection("detection_3d", 0, None, 0),
        **detection("centre", 0, None, 0),
        **errors("detection", false=1),
        **errors("identity"),
        "identity.accuracy": None,
        "identity.accuracy_all": None,
        "identity.worst_5pct": None,
        "identity.recall_at_95_strict": None,
        "traces.complete": None,
    }
    story = "A volume without neurons: what is found there is false, and recall has no answer."
    return Case("empty truth", story, recording(volume(0)), recording(volume(0, Neuron(0, identity=0))), expected)


def partly_annotated() -> Case:
    expected = {
        **detection("detection_2d", None, 1, None),
        **detection("detection_3d", None, 1, None),
        **detection("centre", None, 1, None),
        **errors("detection"),
        "provenance.incomplete": 1,
    }
    story = "Only one neuron is annotated: the others may be real, so there is recall and no precision."
    truth = recording(volume(0, Neuron(0), complete=False))
    predicted = recording(volume(0, Neuron(0), Neuron(8), Neuron(16)))
    return Case("partly annotated", story, truth, predicted, expected)


def centres_only() -> Case:
    truth = [Neuron(0, identity=0), Neuron(12, identity=1)]
    predicted = [Neuron(1.9, identity=0), Neuron(14.1, identity=1)]
    expected = {
        **detection("detection_2d", None, None, None),
        **detection("detection_3d", None, None, None),
        **detection("centre", 1 / 2, 1 / 2, 1 / 2),
        **errors("detection", missed=1, false=1),
        # The second identity is on a detection that is no true neuron.
        **errors("identity", right=1, misplaced=1),
    }
    story = "Centres without boxes: 1.9 µm is a match, 2.1 µm is none."
    sides = [recording(volume(0, *neurons, boxes=False)) for neurons in (truth, predicted)]
    return Case("centres only", story, sides[0], sides[1], expected)


BUILDERS = (
    perfect,
    missed_neuron,
    false_neuron,
    touching_neurons_merged,
    neuron_split_across_z,
    shifted_just_above,
    shifted_exactly,
    shifted_just_below,
    gap_in_z,
    other_frames,
    greedy_trap,
    threshold_trap,
    order_must_not_matter,
    empty_prediction,
    volume_not_processed,
    empty_truth,
    partly_annotated,
    centres_only,
)
