"""The pose of an animal: found from any start, also where a part of the head is out of view."""

import numpy as np
import pytest

from cender.name import naming
from cender.name.atlas import fit_named
from cender.name.colours import describe_colours
from cender.training.namer.pack import build_naming_model
from unit.name.worms import make_worms, train_small

IN_VIEW = 0.8
"""Share of the neurons that are in view, from one end of the head on."""


def count_missed() -> int:
    """Partial heads that fit better as their names lay them than as they were found."""
    model = build_naming_model(train_small())
    missed = 0
    for number, worm in enumerate(make_worms(16, seed=77)):
        true = fit_named(worm.position_um, worm.name, model.atlas)
        along = true.apply(worm.position_um)[:, 2] * (1 if number % 2 else -1)
        seen = along < np.quantile(along, IN_VIEW)
        points, looks = worm.position_um[seen], describe_colours(worm.colour[seen, :0])
        found = naming.find_pose(points, looks, model.score, model.atlas, true.mirrored, {})
        best = naming.refine_pose(points, looks, model.score, model.atlas, [true], {})
        missed += found.fit < best.fit - 0.1
    return missed


def test_a_partial_head_is_laid_as_its_names_lay_it(monkeypatch: pytest.MonkeyPatch) -> None:
    missed = count_missed()
    monkeypatch.setattr(naming, "ALIGNED", (16, 4, 2, 1))
    assert missed < count_missed(), "poses that look bad at first must not be given up after one round"
    assert missed <= 4
