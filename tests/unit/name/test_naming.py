"""The pose of an animal: found from any start, also where a part of the head is out of view."""

import numpy as np
import pytest

from cender.name import naming, pose
from cender.name.atlas import fit_named
from cender.name.colours import describe_colours
from cender.training.namer.pack import build_naming_model
from unit.name.worms import make_worms, train_small


def count_missed(in_view: float) -> int:
    """Heads, in view from one end on up to this share of the neurons, that fit better as their names lay them."""
    model = build_naming_model(train_small())
    missed = 0
    for number, worm in enumerate(make_worms(16, seed=77)):
        true = fit_named(worm.position_um, worm.name, model.atlas)
        along = true.apply(worm.position_um)[:, 2] * (1 if number % 2 else -1)
        seen = along < np.quantile(along, in_view)
        points, looks = worm.position_um[seen], describe_colours(worm.colour[seen, :0])
        found = naming.find_pose(points, looks, model.score, model.atlas, true.mirrored, {})
        best = naming.refine_pose(points, looks, model.score, model.atlas, [true], {})
        missed += found.fit < best.fit - 0.1
    return missed


def test_a_partial_head_is_laid_as_its_names_lay_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_missed(0.8) == count_missed(0.6) == 0
    monkeypatch.setattr(pose, "SHORT", 0.0)
    assert count_missed(0.6) > 4, "in the middle of the atlas, a part of a head is not found"
