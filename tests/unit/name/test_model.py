"""Names: right, one-to-one, honest about sides, steered by people, refused where they would be guesses."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cender.errors import DataError, ModelError
from cender.name import check_names, name_cells
from cender.name.atlas import fit_named
from cender.name.model import count_right
from cender.name.naming import settle_side
from cender.name.recording import name_recording
from cender.name.unbend import unbend_animal
from cender.training.namer.pack import build_naming_model, drop_doubted
from cender.training.namer.train import train_namer
from cender.training.params import TrainNamerParams
from cender.types import Cells, Weights
from unit.name.worms import make_worms, train_small


@pytest.fixture(scope="module")
def trained() -> Weights:
    return train_small()


@pytest.fixture(scope="module")
def model(trained):
    return build_naming_model(trained)


@pytest.fixture(scope="module")
def stranger() -> Cells:
    return make_worms(1, seed=99)[0]


def bare(cells: Cells, **changes) -> Cells:
    given = {"position_um": cells.position_um, "colour": cells.colour, "name": ("",) * len(cells)} | changes
    return Cells(**given)


def test_an_animal_that_it_has_not_seen_is_named(model, stranger) -> None:
    naming = name_cells(bare(stranger), model, mirrored=False)
    right = count_right(naming, stranger.name)
    assert right.mean() > 0.8
    given = naming.given[naming.given >= 0]
    assert len(set(given)) == len(given)
    assert naming.probability[right].mean() > naming.probability[~right].mean() if (~right).any() else True
    assert count_right(naming, stranger.name, 5).mean() >= right.mean()
    assert np.allclose(np.exp(naming.posterior).sum(1), 1)


def test_colours_help(model, stranger) -> None:
    without = name_cells(bare(stranger, colour=stranger.colour[:, :0]), model, mirrored=False)
    assert any("no colours" in doubt for doubt in without.doubts)
    with_ = name_cells(bare(stranger), model, mirrored=False)
    assert count_right(with_, stranger.name).sum() >= count_right(without, stranger.name).sum()


def test_unknown_handedness_is_said(model, stranger) -> None:
    naming = name_cells(bare(stranger), model)
    assert 0 < naming.side_probability < 1
    assert name_cells(bare(stranger), model, mirrored=False).side_probability == 1


def test_names_of_people_stay_and_settle_the_side(model, stranger) -> None:
    kept = tuple(name if row < 6 else "" for row, name in enumerate(stranger.name))
    naming = name_cells(bare(stranger, name=kept), model, mirrored=False)
    assert [naming.names[naming.given[row]] for row in range(6)] == list(stranger.name[:6])
    assert (naming.probability[:6] == 1).all()
    assert not set(naming.given[:6]) & set(naming.given[6:])


def test_bad_input(model, stranger) -> None:
    few = Cells(stranger.position_um[:10], stranger.colour[:10], ("",) * 10)
    with pytest.raises(DataError, match="at least 15 neurons"):
        name_cells(few, model)
    twice = ("A0L", "A0L") + ("",) * (len(stranger) - 2)
    with pytest.raises(DataError, match="A0L on more than one"):
        name_cells(bare(stranger, name=twice), model)
    strange = ("XYZ",) + ("",) * (len(stranger) - 1)
    assert any("XYZ" in doubt for doubt in name_cells(bare(stranger, name=strange), model, False).doubts)
    noise = np.random.default_rng(0).uniform(0, 300, (60, 3))
    assert any(
        "fits the atlas badly" in doubt
        for doubt in name_cells(Cells(noise, np.zeros((60, 0)), ("",) * 60), model).doubts
    )


def test_two_animals_and_a_tail_are_doubted(model, stranger) -> None:
    def doubted(points_um: np.ndarray) -> bool:
        cells = Cells(points_um, np.zeros((len(points_um), 0)), ("",) * len(points_um))
        return any("fits the atlas badly" in doubt for doubt in name_cells(cells, model, False).doubts)

    head = stranger.position_um
    assert not doubted(head)
    assert doubted(np.concatenate([head, head[:, [2, 1, 0]] + [0, 120, 40]]))
    rng = np.random.default_rng(4)
    tail = np.stack([rng.normal(size=30) * 3, rng.normal(size=30) * 3, rng.uniform(0, 160, 30)], axis=1)
    assert doubted(tail)


def test_names_of_a_male_are_said_to_be_foreign(model, stranger) -> None:
    male = ("CEMDL",) + ("",) * (len(stranger) - 1)
    naming = name_cells(bare(stranger, name=male), model, False)
    assert any("cells of males" in doubt for doubt in naming.doubts)
    assert not any("cells of males" in doubt for doubt in name_cells(bare(stranger), model, False).doubts)


def test_swapped_channels_are_noticed(model, stranger) -> None:
    assert not any("another order" in doubt for doubt in name_cells(bare(stranger), model, False).doubts)
    swapped = bare(stranger, colour=stranger.colour[:, [2, 1, 0, 3]])
    said = [doubt for doubt in name_cells(swapped, model, False).doubts if "another order" in doubt]
    assert said == ["the colour channels seem to be in another order: third, second, first would fit better"]


def test_exchanged_names_of_people_are_pointed_at(model, stranger) -> None:
    assert len(check_names(stranger, model)) <= 2, "few false alarms"
    names = list(stranger.name)
    a, b = names.index("B2L"), names.index("C3R")
    names[a], names[b] = names[b], names[a]
    found = check_names(bare(stranger, name=tuple(names)), model)
    assert {a, b} <= {row for row, *_ in found}
    assert any("exchanged" in reason for *_, reason in found)


def test_many_volumes_tell_more_than_one(model, stranger) -> None:
    rng = np.random.default_rng(3)
    identities = list(range(len(stranger)))
    volumes = [(identities, stranger.position_um + rng.normal(size=stranger.position_um.shape) * 2.5) for _ in range(6)]
    alone = [
        count_right(
            name_cells(bare(stranger, position_um=points, colour=stranger.colour[:, :0]), model, False), stranger.name
        ).mean()
        for _, points in volumes
    ]
    pooled = name_recording(volumes, identities, {}, {}, model, False)
    assert count_right(pooled, stranger.name).mean() > np.mean(alone)


def test_names_of_people_know_better_than_the_handedness_that_was_set(model, stranger) -> None:
    kept = tuple(name if row < 12 else "" for row, name in enumerate(stranger.name))
    alone = name_cells(bare(stranger, name=kept), model)
    assert not alone.mirrored
    assert alone.side_probability == 1
    against = name_cells(bare(stranger, name=kept), model, mirrored=True)
    assert not against.mirrored
    assert any("name.handedness says as a mirror image" in doubt for doubt in against.doubts)


def test_names_on_one_side_alone_settle_nothing(model, stranger) -> None:
    middle = {row: model.atlas.names.index(name) for row, name in enumerate(stranger.name) if name.startswith("MID")}
    assert settle_side(stranger.position_um, middle, model.atlas) is None
    both = {row: model.atlas.names.index(name) for row, name in enumerate(stranger.name)}
    assert settle_side(stranger.position_um, both, model.atlas) is False
    assert settle_side(stranger.position_um * [-1, 1, 1], both, model.atlas) is True


def test_bent_animals_are_unbent(model, stranger) -> None:
    atlas = model.atlas
    rows = np.array([atlas.names.index(name) for name in stranger.name])
    z, y, x = atlas.mean[rows].T
    bent = np.stack([1.1 * z, y + 0.2 * x**2, x], axis=1)
    known = np.arange(0, len(rows), 2)
    target = atlas.mean[rows[known]]
    target[0] += 2.0
    straight = unbend_animal(bent, known, target, np.ones(len(known)))
    others = np.arange(1, len(rows), 2)
    before, after = (np.linalg.norm(one[others] - atlas.mean[rows[others]], axis=1).mean() for one in (bent, straight))
    assert after < 0.3 * before, "neurons without a name follow, and one wrong name does not pull"


def test_weights_of_an_older_namer_are_refused(trained) -> None:
    old = replace(trained, metadata={key: value for key, value in trained.metadata.items() if key != "edition"})
    with pytest.raises(ModelError, match=r"edition 1, this cender reads edition 4; train again with `cender train"):
        build_naming_model(old)


def test_a_small_part_of_a_head_is_doubted_unless_people_say_where_it_lies(model, stranger) -> None:
    order = np.argsort(fit_named(stranger.position_um, stranger.name, model.atlas).apply(stranger.position_um)[:, 2])
    small, large = (stranger.select(order[: round(share * len(stranger))]) for share in (0.5, 0.9))

    def doubted(cells: Cells) -> bool:
        return any("all names may be wrong" in doubt for doubt in name_cells(cells, model, False).doubts)

    assert doubted(bare(small))
    assert not doubted(bare(large))
    assert not doubted(small)


def test_names_that_people_doubted_are_never_given(trained, stranger) -> None:
    names = json.loads(trained.metadata["names"])
    doubted = replace(trained, metadata={**trained.metadata, "names": json.dumps([f"{names[0]}?", *names[1:]])})
    model = build_naming_model(drop_doubted(doubted))
    assert len(model.atlas) == len(names) - 1
    naming = name_cells(bare(stranger), model, False)
    row = stranger.name.index(names[0])
    assert naming.names[naming.given[row]] != names[0]
    others = np.arange(len(stranger)) != row
    assert count_right(naming, stranger.name)[others].mean() > 0.8


def test_too_few_animals_to_learn_from() -> None:
    with pytest.raises(DataError, match="at least 4 animals"):
        train_namer(make_worms(3), TrainNamerParams())
