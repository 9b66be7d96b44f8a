"""Settings of the paper's recognition: Table S1, and back from weights."""

from dataclasses import replace

import numpy as np
import pytest

from cender.errors import ModelError
from cender.recognize.paper.params import PaperParams, choose_params, read_params
from cender.types import Annotation, Crop, Head, Regions, VoxelSize, Weights

POINTS = Annotation.from_points(0, np.zeros((2, 3)))
BOXED = replace(
    POINTS, regions=Regions.from_boxes(np.zeros(1, int), np.ones((1, 4))), voxel_um=VoxelSize(1.5, 0.3, 0.3)
)


def test_defaults_are_the_first_row_of_the_table() -> None:
    params = PaperParams()
    assert (params.knn, params.density) == ("objects", "regions")
    assert (params.k, params.q, params.s, params.d) == (25, 20, 32, 56)
    assert (params.m1, params.m2, params.m3) == (1.05, 0, 0.05)


def test_centres_only_take_the_second_row() -> None:
    chosen = choose_params(PaperParams(), [POINTS, POINTS])
    assert (chosen.knn, chosen.density, chosen.q, chosen.m3, chosen.epochs) == ("objects", "objects", 10, 0, 150)
    assert choose_params(PaperParams(), [POINTS, BOXED]) == PaperParams(axes="points")
    assert choose_params(PaperParams(), []) == PaperParams()


def test_axes_are_those_that_all_volumes_have() -> None:
    head = Head(Crop(0, 0, 9, 9), np.zeros((0, 2)), np.zeros(2), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    headed = replace(BOXED, head=head)
    assert choose_params(PaperParams(), [headed, headed]).axes == "head"
    assert choose_params(PaperParams(), [headed, BOXED]).axes == "points"
    assert choose_params(PaperParams(axes="points"), [headed]).axes == "points"


def test_what_somebody_set_stays() -> None:
    chosen = choose_params(PaperParams(epochs=5, k=7), [POINTS])
    assert (chosen.epochs, chosen.k, chosen.q) == (5, 7, 10)


def test_settings_come_back_from_weights() -> None:
    params = PaperParams(k=12, density="objects")
    assert read_params(Weights({}, {"params": params.model_dump_json()})) == params
    for metadata in ({}, {"params": '{"k": 0}'}, {"params": "k"}):
        with pytest.raises(ModelError, match="train the recognizer again"):
            read_params(Weights({}, metadata))
