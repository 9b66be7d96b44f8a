"""The benchmark of names: folds without leaks, figures that can be counted by hand."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cender.bench.names.folds import measure_names, read_published
from cender.bench.names.measure import make_folds, measure_calibration
from cender.bench.names.pictures import count_groups
from cender.config import load_config
from cender.errors import DataError
from unit.name.worms import make_worms


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


def test_calibration_error_by_hand() -> None:
    assert measure_calibration(np.full(30, 0.75), np.arange(30) % 4 > 0) == pytest.approx(0.25 * 2 / 3, abs=0.2)
    assert measure_calibration(np.ones(30), np.ones(30)) == 0
    assert measure_calibration(np.ones(30), np.zeros(30)) == 1


def test_all_conditions_are_measured(tmp_path: Path) -> None:
    path = write_worms(tmp_path / "worms.csv", 10)
    config = load_config(sets=["train_namer.steps=60", "train_namer.members=1", "train_namer.batch=2"])
    (tmp_path / "neuron_ganglia.csv").write_text("neuron_class,ganglion\nA,front\nB,front\nMID,middle\n")
    figures = measure_names(path, config, "0", models=tmp_path / "models", figures=tmp_path / "pictures")
    assert [Path(one).name for one in figures["pictures"]] == [
        f"names_{kind}.png" for kind in ("atlas", "confusion", "ganglia")
    ]
    assert all(Path(one).stat().st_size > 5000 for one in figures["pictures"])
    assert set(figures["animals"]) == {f"worm{n}" for n in range(0, 10, 2)}
    given = figures["conditions"]["colour, handedness given"]
    assert 0.3 < given["top1"] <= given["top5"] <= 1
    assert given["handedness_right"] == 1
    assert len(figures["conditions"]) == 6
    assert (tmp_path / "models" / "group_0.safetensors").is_file()
    (tmp_path / "published.csv").write_text("Worm,Dataset,CPD\nworm0,even,0.4\nworm2,even,0.6\nworm1,odd,0\n")
    assert read_published(tmp_path / "published.csv", figures["animals"]) == {"CPD": 0.5}


def test_groups_are_counted_by_the_longest_class() -> None:
    rows = [{"name": ["AVAL", "AVR", "XX"], "right": [True, False, True]}]
    groups = {"AV": "short", "AVA": "long"}
    assert count_groups(rows, groups) == {"long": (1, 1), "short": (0, 1), "other": (1, 1)}
