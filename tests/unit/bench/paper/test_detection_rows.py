"""Rows of detection on the authors' images: measured as on simulated animals, under the published rows."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cases.authors import save_drawn, save_stack
from cender.bench.detection.drawn import _fit_crop
from cender.bench.detection.measure import make_tasks, measure_detection, measure_volumes
from cender.bench.paper import lanes
from cender.bench.paper.detection_rows import list_pictured
from cender.bench.paper.detection_table import build_detection
from cender.bench.paper.scope import FULL, QUICK
from cender.cli.app import app
from cender.config import Config
from cender.io.exchange.authors.download import prepare_authors
from cender.io.measured import Measured
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Crop, Head

ANIMAL = SimulateParams(preset="easy", shape=(10, 256, 256), volumes=2, voxel_um=(1.5, 0.3, 0.3), seed=4)


def test_simulated_and_other_volumes_are_measured_alike() -> None:
    config = Config(simulate=ANIMAL)
    whole = measure_detection(config, 1, 1, {})
    simulation = simulate_recording(ANIMAL.model_copy(update={"seed": 9000, "volumes": 20}))
    known = [(simulation.recording.volume(10, (0,)), simulation.annotate(10))]
    alone = measure_volumes(known, make_tasks({}, config))
    assert alone["volumes"] == whole["volumes"] == 1
    for name, task in whole["tasks"].items():
        assert alone["tasks"][name]["detection_3d"] == task["detection_3d"]


def test_volumes_of_two_animals_do_not_meet_under_one_number() -> None:
    config = Config(simulate=ANIMAL)
    simulations = [simulate_recording(ANIMAL.model_copy(update={"seed": seed})) for seed in (1, 2)]
    known = [(one.recording.volume(0, (0,)), one.annotate(0)) for one in simulations]
    assert measure_volumes(known, make_tasks({}, config))["volumes"] == 2


def test_a_download_fills_the_rows_of_its_animals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "count_lanes", lambda: 1)
    save_stack(tmp_path / "raw", "w6", ANIMAL)
    save_stack(tmp_path / "raw", "w4", ANIMAL)
    words = ["bench", "tables", "--data", str(tmp_path), "--json"]
    words += ["--only", "detection, C1, default", "--only", "detection, C2/C3, default"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    table = json.loads(done.stdout)["tables"][2]
    mine = [row for row in table["rows"] if row[2] in ("C1", "C2/C3") and row[-1] == "cender, ours"]
    assert [(row[0], row[2]) for row in mine] == [
        (task, data)
        for task in ("regions in frames", "neurons of human boxes", "neurons of detected boxes")
        for data in ("C1", "C2/C3")
    ]
    assert all(row[5] > 60 and row[7] > 0 for row in mine), "figures and times of real measurements"
    before = [row[-1] for row in table["rows"]].index("cender, ours") - 1
    assert table["rows"][before][2:4] == ["C1", 90.67], "directly under the published row"


def test_heads_that_people_drew_have_rows_of_their_own(tmp_path: Path) -> None:
    save_stack(tmp_path, "w6", ANIMAL)
    prepare_authors(tmp_path)
    config, keys = Config(), {item.key for item in list_pictured(Config(), QUICK, tmp_path)}
    assert keys == {"detection, C1, default", "detection, C1, paper", "detection, C1, paper, own stage 1"}
    for path in (tmp_path / "C1").iterdir():
        path.unlink()
    (tmp_path / "C1").rmdir()
    save_drawn(tmp_path / "ImgStk001_dk001_{w6_Dt210514" / "001.json", (270, 240))
    prepare_authors(tmp_path)
    items = {item.key: item for item in list_pictured(config, QUICK, tmp_path)}
    figures = items["detection, C1, default, proofread heads"].measure()
    assert figures["volumes"] == 1, "only one volume has a drawn head"
    assert figures["tasks"]["default"]["detection_3d"]["recall"] > 0.6
    assert set(figures["tasks"]["default"]["stages_ms"]) == {"detect", "merge"}


def test_a_quick_look_takes_few_volumes_and_other_labels_are_measured_again(tmp_path: Path) -> None:
    save_stack(tmp_path, "w6", ANIMAL)
    prepare_authors(tmp_path)
    quick, full = (list_pictured(Config(), scope, tmp_path)[0] for scope in (QUICK, FULL))
    assert (quick.inputs["at_most"], full.inputs["at_most"]) == (4, None)
    assert quick.inputs["files"] == full.inputs["files"]
    regions = tmp_path / "C1" / "regions.csv"
    regions.write_text("\n".join(regions.read_text().splitlines()[:-1]) + "\n")
    assert list_pictured(Config(), QUICK, tmp_path)[0].inputs["files"] != quick.inputs["files"]


def test_without_images_the_row_says_what_it_needs() -> None:
    rows = build_detection({}).rows
    needs = [str(row[3]) for row in rows if row[-1] == "cender"]
    assert len(needs) == 10
    assert all("authors' images beside their labels" in need for need in needs)
    share = dict.fromkeys(("precision", "recall", "f1"), 0.5)
    figures = {"tasks": {"paper": {"detection_2d": share, "detection_3d": share}}, "training": "1 min"}
    key = "detection, C1, paper, proofread heads"
    found = {key: Measured(key, figures, {}, {})}
    mine = [row for row in build_detection(found).rows if "proofread heads" in str(row[-1])]
    assert [(row[0], row[2], row[5]) for row in mine] == [
        ("regions in frames", "C1", 50.0),
        ("neurons of detected boxes", "C1", 50.0),
    ]


@pytest.mark.parametrize(
    ("drawn", "fitted"),
    [
        (Crop(-4, 5, 20, 10), (0, 5, 16, 10)),
        (Crop(30, 2, 20, 60), (30, 2, 10, 38)),
        (Crop(0, 0, 40, 40), (0, 0, 40, 40)),
    ],
)
def test_a_head_that_is_drawn_over_the_edge_ends_there(drawn: Crop, fitted: tuple[int, ...]) -> None:
    axis = np.array([1.0, 0.0])
    head = Head(drawn, np.zeros((0, 2)), np.zeros(2), axis, axis[::-1].copy())
    assert tuple(_fit_crop(head, (40, 40)).crop) == fitted
