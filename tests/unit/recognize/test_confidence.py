"""How probable identities are."""

import numpy as np

from cender.recognize.confidence import Calibration, describe_classes

PRIOR = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))


def test_a_sure_name_is_more_probable_than_a_contested_one() -> None:
    score = np.log(np.array([[0.95, 0.02, 0.03], [0.05, 0.5, 0.45], [0.05, 0.45, 0.5]]))
    classes = np.array([0, 1, -1])
    features = describe_classes(score, score, classes)
    probability = PRIOR.apply(features)
    assert probability[0] > probability[1]
    assert (features[2] == 0).all()
