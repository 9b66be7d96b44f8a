"""Cases of the worm's own axes: each with its figures worked out by hand."""

from cases.building import Case, Neuron, head, recording, volume

RIGHT, LEFT, UP, DOWN = (0.0, 1.0), (0.0, -1.0), (-1.0, 0.0), (1.0, 0.0)
NEURON = Neuron(0, identity=0)


def right_axes() -> Case:
    expected = {"axes.accuracy": 1, "axes.flagged": 0}
    story = "Axes turned by 45°: within 90° of the truth, so right."
    truth = recording(volume(0, NEURON, head=head(RIGHT, DOWN)))
    predicted = recording(volume(0, NEURON, head=head((0.7071, 0.7071), (0.7071, -0.7071))))
    return Case("axes turned by 45°", story, truth, predicted, expected)


def flipped_anterior() -> Case:
    expected = {"axes.accuracy": 0, "axes.flagged": 0}
    story = "Nose and tail are exchanged."
    truth = recording(volume(0, NEURON, head=head(RIGHT, DOWN)))
    return Case("flipped anterior", story, truth, recording(volume(0, NEURON, head=head(LEFT, DOWN))), expected)


def flipped_ventral() -> Case:
    expected = {"axes.accuracy": 0, "axes.flagged": 0}
    story = "Back and belly are exchanged: both axes must be right."
    truth = recording(volume(0, NEURON, head=head(RIGHT, DOWN)))
    return Case("flipped ventral", story, truth, recording(volume(0, NEURON, head=head(RIGHT, UP))), expected)


def flagged_wrong_axes() -> Case:
    expected = {"axes.accuracy": 1, "axes.flagged": 1 / 2}
    story = "The second volume is wrong but was flagged: accuracy is over the others, and the share is told."
    truth = recording(*(volume(index, NEURON, head=head(RIGHT, DOWN)) for index in range(2)))
    predicted = recording(
        volume(0, NEURON, head=head(RIGHT, DOWN)), volume(1, NEURON, head=head(LEFT, UP), flagged=True)
    )
    return Case("flagged wrong axes", story, truth, predicted, expected)


def axes_lost() -> Case:
    expected = {"axes.accuracy": 1 / 2, "axes.flagged": 0}
    story = "The second volume was not processed: its axes count as wrong."
    truth = recording(*(volume(index, NEURON, head=head(RIGHT, DOWN)) for index in range(2)))
    predicted = recording(volume(0, NEURON, head=head(RIGHT, DOWN)))
    return Case("axes lost", story, truth, predicted, expected)


BUILDERS = (right_axes, flipped_anterior, flipped_ventral, flagged_wrong_axes, axes_lost)
