"""The benchmark of names: folds without leaks, figures that can be counted by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cender.bench.names import heads
from cender.bench.names.folds import measure_names
from cender.bench.names.heads import CHANNELS, find_twin, load_named_heads
from cender.bench.names.measure import Fold, in_condition, make_folds, map_handedness, measure_fold
from cender.bench.names.moving import VOLUMES, measure_moving, simulate_volumes
from cender.bench.names.partial import cut_parts, measure_partial
from cender.bench.names.pictures import count_groups
from cender.bench.names.summary import measure_calibration
from cender.config import load_config
from cender.errors import DataError
from cender.io import load_weights
from cender.training.namer.pack import build_naming_model
from unit.name.worms import make_worms, train_small


def write_worms(path: Path, count: int) -> Path:
    rows = [
        {"lab": one.lab, "worm": one.animal, "group": one.group, "z_um": z, "y_um": y, "x_um": x, "name": name}
        | {f"colour{channel}": value for channel, value in enumerate(colour)}
        for one in make_worms(count, mirrored=(1,))
        for (z, y, x), name, colour in zip(one.position_um, one.name, one.colour, strict=True)
    ]
    pl.DataFrame(rows).write_csv(path)
    return path


def test_no_animal_is_both_taught_and_tested() -> None:
    animals = make_worms(6, mirrored=(1, 4))
    for split in ("groups", "labs", "0"):
        for fold in make_folds(animals, split):
            assert {one.animal for one in fold.taught} | {one.animal for one in fold.tested} == {
                f"worm{n}" for n in range(6)
            }
            assert not {one.animal for one in fold.taught} & {one.animal for one in fold.tested}
    assert {one.lab for one in make_folds(animals, "labs")[0].tested} == {"even"}
    with pytest.raises(DataError, match="expected groups"):
        make_folds(animals, "none")


def test_animals_recorded_next_to_one_tell_its_side_before_all_others_of_the_laboratory() -> None:
    worms = make_worms(8, mirrored=(5, 6, 7))
    worms = [replace(one, lab="one", animal=f"2020-01-0{number}") for number, one in enumerate(worms)]
    model = build_naming_model(train_small())
    for tested, mirrored in ((1, False), (6, True)):
        taught = tuple(one for number, one in enumerate(worms) if number != tested)
        own, beside = map_handedness(Fold("session", taught, (worms[tested],)), model)
        # Most animals of the laboratory are no mirror images, but the last ones are.
        assert own == beside == {worms[tested].animal: mirrored}
    alone = replace(worms[0], lab="another")
    assert map_handedness(Fold("alone", tuple(worms[1:]), (alone,)), model)[1] == {alone.animal: None}


def test_calibration_error_by_hand() -> None:
    assert measure_calibration(np.full(30, 0.75), np.arange(30) % 4 > 0) == pytest.approx(0.25 * 2 / 3, abs=0.2)
    assert measure_calibration(np.ones(30), np.ones(30)) == 0
    assert measure_calibration(np.ones(30), np.zeros(30)) == 1


QUICK = ["train_namer.steps=60", "train_namer.batch=2"]


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> tuple[Path, dict]:
    """A folder with animals, their rivals' figures and a kept namer, and what the benchmark says of group 0."""
    folder = tmp_path_factory.mktemp("names")
    path = write_worms(folder / "worms.csv", 8)
    (folder / "neuron_ganglia.csv").write_text("neuron_class,ganglion\nA,front\nB,front\nMID,middle\n")
    (folder / "wormnd_published_accuracy.csv").write_text(
        "Worm,Dataset,CRF (retrain)\nworm0,even,0.4\nworm2,even,0.6\nworm1,odd,0\nworm4,elsewhere,1\n"
    )
    config = load_config(sets=QUICK)
    return path, measure_names(path, config, "0", keep=folder / "kept", figures=folder / "pictures")


@pytest.fixture(scope="module")
def model(bench):
    return build_naming_model(load_weights(bench[0].parent / "kept" / "group_0.safetensors", "namer"))


def test_all_conditions_are_measured(bench) -> None:
    path, figures = bench
    assert [Path(one).name for one in figures["pictures"]] == [
        f"names_{kind}.png" for kind in ("atlas", "confusion", "ganglia", "worms")
    ]
    assert all(Path(one).stat().st_size > 5000 for one in figures["pictures"])
    assert set(figures["animals"]) == {f"worm{n}" for n in range(0, 8, 2)}
    given = figures["conditions"]["colour, handedness given"]
    assert 0.3 < given["top1"] <= given["top5"] <= 1
    assert given["known"] == 1
    assert given["handedness_right"] == 1
    assert len(figures["conditions"]) == 6
    assert (path.parent / "kept" / "group_0.safetensors").is_file()


def test_published_figures_stand_beside_ours_on_the_same_animals(bench) -> None:
    _, figures = bench
    assert figures["published"]["animals"] == 2
    assert figures["published"]["methods"] == {"CRF (retrain)": {"top1": 0.5, "by_lab": {"even": 0.5}}}
    ours = [row["top1"] for row in figures["rows"] if row["published"] and row["condition"].startswith("colour")]
    assert len(ours) == 6
    assert figures["published"]["ours"]["colour, handedness given"]["top1"] == pytest.approx(np.mean(ours[::3]))


def test_finished_folds_are_not_done_again(bench, monkeypatch) -> None:
    path, figures = bench
    monkeypatch.setattr("cender.bench.names.folds.train_namer", lambda *_: pytest.fail("trained again"))
    again = measure_names(path, load_config(sets=QUICK), "0", keep=path.parent / "kept")
    assert again["conditions"] == figures["conditions"]
    with pytest.raises(pytest.fail.Exception, match="trained again"):
        measure_names(path, load_config(sets=[*QUICK, "train_namer.steps=61"]), "0", keep=path.parent / "kept")


def test_a_recording_names_more_than_one_of_its_volumes(model) -> None:
    rows = measure_moving(Fold("one", (), tuple(make_worms(3, seed=7)[:1])), model)
    one, many = (
        row["top1"]
        for words in ("one volume", f"{VOLUMES} volumes")
        for row in in_condition(rows, f"position, {words}")
    )
    assert many > one


def test_a_name_that_the_namer_has_not_met_is_no_name_that_it_knows(model) -> None:
    worm = make_worms(3, seed=7)[0]
    strange = replace(worm, name=("AVK?", *worm.name[1:]))
    known = in_condition(measure_fold(Fold("one", (), (strange,)), model), "position, handedness given")[0]["known"]
    assert known == pytest.approx(1 - 1 / len(worm))


def test_parts_of_heads_are_named_from_either_end(model) -> None:
    whole = make_worms(3, seed=7)[0]
    parts = cut_parts(whole, model)
    front, back = (set(parts[f"{words} 60%"].name) for words in ("front", "back"))
    assert len(front) == len(back) == round(0.6 * len(whole))
    assert front | back == set(whole.name)
    rows = measure_partial(Fold("one", (), (whole,)), model)
    assert {row["condition"].split(", ")[1] for row in rows} == set(parts)
    assert np.mean([row["top1"] for row in in_condition(rows, "colour, front 60%")]) > 0.5


def test_volumes_of_a_moving_animal_differ_and_miss_neurons(model) -> None:
    cells = make_worms(1)[0]
    volumes = simulate_volumes(cells, model, np.random.default_rng(0))
    assert len(volumes) == VOLUMES
    assert 0.6 < np.mean([len(seen) for seen, _ in volumes]) / len(cells) < 0.95
    near = [np.linalg.norm(points - cells.position_um[list(seen)], axis=1).mean() for seen, points in volumes]
    assert min(near) > 1


def test_heads_are_named_by_a_model_that_has_not_seen_them(bench, monkeypatch) -> None:
    path, _ = bench
    worm = make_worms(8, mirrored=(1,))[2]
    low = worm.position_um.min(axis=0) - 3
    points = np.round(worm.position_um - low)
    image = np.zeros((4, *(points.max(axis=0).astype(int) + 4)), np.float32)
    for (z, y, x), colour in zip(points.astype(int), worm.colour, strict=True):
        image[:, z - 1 : z + 2, y - 1 : y + 2, x - 1 : x + 2] = colour[:, None, None, None]
    stack = dict(zip(CHANNELS, image, strict=True))
    folder = path.parent
    np.savez(folder / "neuropal_head_2.npz", **stack, voxel_um_zyx=np.ones(3), points_zyx=points, names=worm.name)
    (head,) = load_named_heads(folder)
    twin = find_twin(head, make_worms(8, mirrored=(1,)))
    assert twin is not None
    assert twin.animal == "worm2"
    # Every fourth neuron is not found, and one more is found where none is.
    found = np.concatenate([np.delete(points, np.s_[::4], axis=0), [[1.0, 1.0, 1.0]]])
    monkeypatch.setattr(heads, "_detect", lambda head, config: found)
    figures = measure_names(path, load_config(sets=QUICK), "0", centres="detected", keep=folder / "kept")
    marked, detected = (
        figures["conditions"][f"colour, {words} centres"]["top1"] for words in ("annotated", "detected")
    )
    assert 0.3 < detected <= 0.75
    assert detected < marked
    with pytest.raises(DataError, match="no head of this folder"):
        measure_names(path, load_config(sets=QUICK), "1", centres="detected")


def test_heads_that_are_not_there_are_missed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"neuropal_head_\*\.npz"):
        load_named_heads(tmp_path)


def test_groups_are_counted_by_the_longest_class() -> None:
    rows = [{"name": ["AVAL", "AVR", "XX"], "right": [True, False, True]}]
    groups = {"AV": "short", "AVA": "long"}
    assert count_groups(rows, groups) == {"long": (1, 1), "short": (0, 1), "other": (1, 1)}
