"""The atlas: its frame, mirror images, similarities."""

import numpy as np
import pytest

from cender.name.atlas import UNIT_UM, build_atlas, fit_named, fit_similarity, swap_side
from cender.name.colours import describe_colours
from cender.types import Cells
from unit.name.worms import NAMES, make_worms


def build(worms):
    looks = [describe_colours(one.colour) for one in worms]
    return build_atlas([one.position_um for one in worms], [one.name for one in worms], looks)


def test_atlas_brings_animals_of_all_poses_together() -> None:
    worms = make_worms(6)
    atlas, ways = build(worms)
    assert set(atlas.names) == set(NAMES)
    for one, way in zip(worms, ways, strict=True):
        rows = [atlas.names.index(name) for name in one.name]
        before = np.linalg.norm(one.position_um / UNIT_UM - atlas.mean[rows], axis=1)
        after = np.linalg.norm(way.apply(one.position_um) - atlas.mean[rows], axis=1)
        assert np.median(before) > 0.2
        assert np.median(after) * UNIT_UM < 2.5


def test_the_atlas_has_the_size_of_the_animals() -> None:
    _, ways = build(make_worms(6))
    assert np.median([way.scale for way in ways]) * UNIT_UM == pytest.approx(1)
    worms = [Cells(one.position_um * 0.7, one.colour, one.name) for one in make_worms(6)]
    atlas, _ = build(worms)
    largest, natural = (np.ptp(places, axis=0).max() for places in (atlas.mean * UNIT_UM, worms[0].position_um))
    assert largest == pytest.approx(natural, rel=0.25)


def test_frame_has_z_from_right_to_left() -> None:
    atlas, _ = build(make_worms(6))
    place = dict(zip(atlas.names, atlas.mean, strict=True))
    across = np.array([place[f"{name[:-1]}L"] - place[name] for name in NAMES if name.endswith("R")])
    assert (across[:, 0] > 0).all()


def test_mirror_images_are_noticed() -> None:
    worms = make_worms(8, mirrored=(3, 6))
    atlas, ways = build(worms)
    flags = [way.mirrored for way in ways]
    assert flags == [number in (3, 6) for number in range(8)] or flags == [number not in (3, 6) for number in range(8)]
    assert fit_named(worms[3].position_um, worms[3].name, atlas).mirrored == flags[3]


@pytest.mark.parametrize("mirror", [False, True])
def test_similarity_is_found_again(mirror: bool) -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(20, 3))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn)) * (-1 if mirror else 1)
    moved = 2.5 * points @ turn.T + [1, 2, 3]
    way = fit_similarity(points, moved, mirror=mirror)
    assert np.allclose(way.apply(points), moved)
    assert way.mirrored == mirror
    assert not np.allclose(fit_similarity(points, moved, mirror=not mirror).apply(points), moved)


def test_sides_are_exchanged_only_where_there_is_a_partner() -> None:
    names = frozenset({"AVAL", "AVAR", "RIR", "AVL"})
    assert swap_side("AVAL", names) == "AVAR"
    assert swap_side("AVL", names) == "AVL"
    assert swap_side("RIR", names) == "RIR"
