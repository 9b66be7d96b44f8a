"""The paper's tables with ours under every row: all eight are there, and what was not measured says what it needs."""

import re
import shlex
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cender.bench.paper import detection_rows, identity_rows
from cender.bench.paper.cell_parts import PARTS
from cender.bench.paper.curve import list_curve
from cender.bench.paper.detection_rows import describe_training
from cender.bench.paper.markdown import render_tables
from cender.bench.paper.measurements import list_items
from cender.bench.paper.published import CELL_TYPES, DATASETS, DETECTION, FEATURES, PIPELINES, TRACKING
from cender.bench.paper.scope import FULL, QUICK
from cender.bench.paper.table import Table, say_duration
from cender.bench.paper.tables import build_tables
from cender.cli.app import app
from cender.config import Config, load_config
from cender.errors import ConfigError
from cender.io.measured import Measured, load_measured
from cender.io.results.folder.fingerprints import hash_weights
from cender.io.weights import save_weights, shipped_weights
from cender.nets.scoring import KIND as DENSE

DOCS = Path(__file__).parents[4] / "docs"
IDENTITY = {"accuracy": 0.864, "train_s": 66.0, "ms_per_volume": 12.0}


def measured(**figures: dict) -> dict[str, Measured]:
    return {key: Measured(key, one, {}, {"version": "1"}) for key, one in figures.items()}


def test_every_table_and_published_row_is_there() -> None:
    tables = build_tables({}, None)
    assert [one.number for one in tables] == ["1", "2", "3", "4", "5", "6", "S1", "S2", "Stage 1", "Cell types"]
    assert all(len(row) == len(one.columns) for one in tables for row in one.rows)
    published = {one.number: sum(row[-1] == "paper" for row in one.rows) for one in tables}
    expected = {"1": 3, "2": len(DATASETS), "3": 2 * len(DETECTION), "4": len(TRACKING)}
    expected |= {"5": len(CELL_TYPES), "6": len(PIPELINES), "S2": len(FEATURES)}
    assert expected.items() <= published.items()


def test_a_row_that_was_not_measured_says_what_it_needs() -> None:
    text = render_tables(build_tables({}, None), {})
    assert "nerve.npz" in text
    assert "wormnd.csv.gz" in text
    assert "OSF v2b5n" in text
    assert " 0 ms" not in text


def test_measured_rows_stand_under_the_published_ones() -> None:
    found = measured(**{"NeRVE, 130, paper": IDENTITY, "typical, 10, default": IDENTITY})
    rows = build_tables(found, None)[3].rows
    place = next(i for i, row in enumerate(rows) if row[3] == 86.51)
    assert rows[place + 1][:4] == ("within", "cender, the paper's method", "NeRVE", 86.4)
    assert rows[place + 1][6:8] == ("1.1 min", "0.012"), "times in the paper's units"
    assert str(rows[place + 2][3]).startswith("needs")
    untimed = measured(**{"NeRVE, 130, paper": {**IDENTITY, "train_s": None, "ms_per_volume": None}})
    assert build_tables(untimed, None)[3].rows[place + 1][3:8] == (86.4, "NeRVE", "130", None, None)


def test_cell_types_show_every_pose_and_both_ways_to_count() -> None:
    def share(accuracy: float) -> dict:
        return {"accuracy": accuracy, "spread": 0.01, "published": {"accuracy": accuracy + 0.02, "spread": 0}}

    lab = {"points": share(0.2), "names": share(0.3), "brief": share(0.4)}
    means = {"points": 0.1, "names": 0.2, "brief": 0.3}
    times = {"train_s": dict.fromkeys(lab, 60.0), "epochs": {"brief": 12}}
    found = measured(**{"cell types, paper": {"labs": {"HL": lab}, **means, **times}})
    rows = [row for row in build_tables(found, None)[4].rows if row[-1] == "here"][1:6]
    assert [row[2].split()[0] for row in rows] == ["20.00", "30.00", "32.00", "40.00", "42.00"]
    assert "12 epochs" in rows[3][0]


def test_what_decides_about_cell_types_is_printed_part_by_part() -> None:
    table = build_tables({}, None)[-1]
    assert table.heading == "Cell types: What axes, handedness and templates cost"
    assert all("needs wormnd.csv.gz and nerve.npz" in str(row[1]) for row in table.rows)
    lab = {part: {"accuracy": 0.3 + place / 10, "spread": 0.02} for place, part in enumerate(PARTS)}
    figures = {"labs": {"HL": lab}, "all": dict.fromkeys(PARTS, 0.2)}
    rows = build_tables(measured(**{"cell types, taken apart": figures}), None)[-1].rows
    assert [row[1] for row in rows][:2] == ["30.00 ± 2.00", "40.00 ± 2.00"]
    assert all(row[2] == 20.0 for row in rows)


def test_one_training_fills_a_row_of_features_and_its_rows_of_tracking() -> None:
    figures = {"within": IDENTITY, "across": {**IDENTITY, "accuracy": 0.5}, "NeRVE": {**IDENTITY, "accuracy": 0.4}}
    key = "features, objects and regions"
    found = {key: Measured(key, figures, {"train": 10}, {})}
    tables = build_tables(found, None)
    ours = [row for row in tables[3].rows if row[1] == "cender, the paper's method" and row[3] in (86.4, 50.0, 40.0)]
    assert [(row[0], row[5]) for row in ours] == [("within", "10"), ("across", "10"), ("across", "10")]
    assert tables[7].rows[1][2:5] == (86.4, 50.0, 40.0)
    assert "needs wormnd.csv.gz" in str(tables[7].rows[1][6])


def test_what_users_get_from_a_template_has_a_row_of_its_own() -> None:
    small = Config.model_validate(
        {
            "simulate": {"preset": "easy", "volumes": 4, "shape": (10, 200, 200), "voxel_um": (2.5, 0.5, 0.5)},
            "recognize": {"paper": {"epochs": 3}},
        }
    )
    items = {item.key: item for item in list_items(small, None, replace(QUICK, train=2, at_most=3))}
    assert "trust" in items["carried, default"].inputs, "another trust refuses other identities"
    found = {"carried, paper": Measured("carried, paper", items["carried, paper"].measure(), {}, {})}
    assert found["carried, paper"].figures["test_volumes"] == 3
    rows = [row for row in build_tables(found, None)[3].rows if row[0] == "across, template only"]
    assert [(row[1], isinstance(row[3], float)) for row in rows] == [
        ("cender, the paper's method", True),
        ("cender, ours", False),
    ]


def test_our_time_stands_in_table_6_also_before_recognition_was_timed() -> None:
    stages = {"stages_ms": {"detect": 100.0, "merge": 10.0}, "total_ms": 112.0, "read_and_project_ms": 20.0}
    rows = build_tables(measured(stages=stages), None)[5].rows
    assert any("stages 1 to 3" in str(row[0]) and row[1] == 0.112 for row in rows)
    both = measured(**{"stages": stages, "typical, 1, default": IDENTITY})
    rows = build_tables(both, None)[5].rows
    assert any("all stages" in str(row[0]) and row[1] == 0.124 for row in rows)


def test_merging_has_a_time_of_its_own() -> None:
    from cender.bench.detection.measure import measure_detection
    from cender.simulate import SimulateParams

    small = Config(simulate=SimulateParams(preset="easy", shape=(8, 160, 160)))
    task = measure_detection(small, 1, 1, {})["tasks"]["true boxes, paper merging"]
    assert task["ms_per_volume"] > 0


def test_data_decides_what_is_measured(tmp_path: Path) -> None:
    without = {item.key for item in list_items(Config(), None, QUICK)}
    assert not any("NeRVE" in key for key in without)
    np.savez(tmp_path / "nerve.npz", volume=[0], xyz_um=[[0, 0, 0]], identity=[1])
    given = {item.key for item in list_items(Config(), tmp_path, QUICK)}
    assert {"NeRVE, 80, paper", "NeRVE, 130, paper", "NeRVE, 80, default", "count, NeRVE"} <= given - without
    (tmp_path / "C1").mkdir()
    (tmp_path / "C1" / "truth.toml").touch()
    full = list_items(Config(), tmp_path, FULL)
    assert {"C1, 30, paper", "C1, 130, default", "count, C1"} <= {item.key for item in full}
    assert len({item.key for item in full}) == len(full)
    assert sum("features" in item.key for item in full) == 4
    (tmp_path / "wormnd.csv.gz").touch()
    assert "cell types, paper, C1" in {item.key for item in list_items(Config(), tmp_path, QUICK)}


def test_a_row_whose_data_was_refused_says_what_it_needs() -> None:
    found = measured(**{"C1, 30, paper": {"refused": "only 2 annotated volumes"}})
    row = next(row for row in build_tables(found, None)[3].rows if row[1:3] == ("cender, the paper's method", "C1"))
    assert str(row[3]).startswith("needs truth folders C1")


def test_times_below_a_tenth_of_a_minute_are_seconds() -> None:
    assert (say_duration(186.0), say_duration(6.0), say_duration(1.44)) == ("3.1 min", "0.1 min", "1.4 s")


def test_other_anchors_have_a_row_of_their_own() -> None:
    detect = {"method": "paper", "multi_field": {"anchors_px": (7, 11)}}
    keys = {item.key for item in list_items(Config.model_validate({"detect": detect}), None, QUICK)}
    assert {"detection, default", "detection, paper, 7 and 11"} <= keys
    assert "detection, paper" in {item.key for item in list_items(Config(), None, QUICK)}


def test_the_commands_that_a_row_of_other_anchors_needs_fill_it(tmp_path: Path) -> None:
    rows = [row for row in build_tables({}, None)[2].rows if "then `cender bench tables" in str(row[3])]
    assert {row[2] for row in rows} == {"C1", "C2/C3", "simulated typical"}
    train, take = (shlex.split(words) for words in str(rows[-1][3]).split("`")[1::2])
    given = dict(zip(train[3::2], train[4::2], strict=True))
    sizes = tuple(int(side) for side in given["--anchors"].split(","))
    course = list_curve([float(given["--width"])], int(given["--cycles"]), [sizes], tmp_path)[-1].measure.func.__self__
    written = course._name_file(int(given["--cycles"]) - 1, tmp_path)
    written.write_bytes(b"weights")
    sets = [word.replace("DIR", str(tmp_path)) for before, word in pairwise(take) if before == "--set"]
    keys = {item.key: item.inputs for item in list_items(load_config(None, sets), None, QUICK)}
    chosen = take[take.index("--only") + 1]
    assert {key for key in keys if key.startswith(chosen)} == {chosen, f"{chosen}, own stage 1"}
    assert keys[chosen]["weights"]["multi_field"] == hash_weights(str(written), "multi_field"), "those just trained"


def test_training_that_no_weights_record_is_said_to_be_an_estimate(tmp_path: Path) -> None:
    said = describe_training("default", None)
    assert re.match(r"about 1 h 45 min; not recorded, about half an hour each", said)
    assert said.count("cender train detector") == 2, "from scratch, and further"
    assert re.fullmatch(r"\d+\.\d min", describe_training("paper", None))
    own = shipped_weights("dense", DENSE)
    save_weights(own, tmp_path / "own.safetensors")
    assert describe_training("default", str(tmp_path / "own.safetensors")) == "not recorded"


def test_the_papers_detector_is_measured_in_the_heads_of_its_own_stage_1_too() -> None:
    items = {item.key: item.inputs for item in list_items(Config(), None, QUICK)}
    ours, own = items["detection, paper"], items["detection, paper, own stage 1"]
    assert ours["stages"]["preprocess"] != own["stages"]["preprocess"]
    share = dict.fromkeys(("precision", "recall", "f1"), 0.5)
    one = {"tasks": {"paper": {"detection_2d": share, "detection_3d": share}}, "training": "1 min"}
    rows = build_tables(measured(**{"detection, paper, own stage 1": one}), None)[2].rows
    mine = [row for row in rows if "its stage 1 too" in str(row[-1]) and row[1] == "9"]
    assert [(row[0], row[5]) for row in mine] == [("regions in frames", 50.0), ("neurons of detected boxes", 50.0)]


def test_other_data_is_measured_again(tmp_path: Path) -> None:
    def read_inputs() -> dict:
        return {item.key: item.inputs for item in list_items(Config(), tmp_path, QUICK)}

    np.savez(tmp_path / "nerve.npz", volume=[0], xyz_um=[[0, 0, 0]], identity=[1])
    before = read_inputs()
    assert before == read_inputs()
    np.savez(tmp_path / "nerve.npz", volume=[0], xyz_um=[[0, 0, 1]], identity=[1])
    assert before["NeRVE, 80, paper"] != read_inputs()["NeRVE, 80, paper"]
    assert before["stages"] == read_inputs()["stages"]


def test_other_annotation_of_the_papers_own_animals_is_measured_again(tmp_path: Path) -> None:
    def read_inputs() -> dict:
        return {item.key: item.inputs for item in list_items(Config(), tmp_path, QUICK)}

    for name in ("C1", "C2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "truth.toml").touch()
    before = read_inputs()
    (tmp_path / "C1" / "regions.csv").write_text("volume\n")
    first = read_inputs()
    (tmp_path / "C2" / "regions.csv").write_text("volume\n")
    second = read_inputs()
    changed = {key for key in before if before[key] != first[key]}
    within = {f"C1, {train}, {method}" for train in (30, 130) for method in ("paper", "default")}
    across = {f"C2/C3 from C1, {method}" for method in ("paper", "default")}
    assert changed == {"count, C1"} | within | across
    assert {key for key in before if first[key] != second[key]} == {"count, C2"} | across


def test_counts_are_of_the_file(tmp_path: Path) -> None:
    volume, identity = np.repeat([0, 1], 3), np.array([1, 2, -1, 1, -1, -1])
    np.savez(tmp_path / "nerve.npz", volume=volume, xyz_um=np.zeros((6, 3)), identity=identity)
    figures = identity_rows._count_points(tmp_path / "nerve.npz")
    assert figures == {"volumes": 2, "labelled": pytest.approx(1.5), "tracked": 3}


def test_the_page_of_tables_is_what_the_command_prints_from_its_rows() -> None:
    found = load_measured(DOCS / "tables.jsonl")
    printed = render_tables(build_tables(found, None), found)
    assert (DOCS / "tables.md").read_text(encoding="utf-8") == printed, (
        "docs/tables.md is stale: cender bench tables --rows docs/tables.jsonl --kept --markdown > docs/tables.md"
    )
    known = {item.key for scope in (QUICK, FULL) for item in list_items(Config(), None, scope)}
    real = ("NeRVE", "count", "C1", "C2/C3", "cell types", "names", "detection, paper, 7 and 11")
    assert {key for key in found if not key.startswith(real)} <= known, "rows that no command measures any more"


def test_rows_of_older_weights_are_marked() -> None:
    current = {"models": {"dense": hash_weights(None, "dense")}}
    kept = {
        "stages": Measured("stages", {}, current, {}),
        "axes": Measured("axes", {}, {"orientation": "0" * 16}, {}),
        "count, NeRVE": Measured("count, NeRVE", {}, {"file": "x"}, {}),
    }
    lines = {line.split(" | ")[0].strip("| "): line for line in render_tables([], kept).splitlines() if " | " in line}
    assert lines["stages"].endswith("| current |")
    assert lines["axes"].endswith("| older orientation |")
    assert lines["count, NeRVE"].endswith("| – |")


def test_rows_of_other_settings_are_measured_again_and_marked() -> None:
    def read_inputs(config: Config) -> dict:
        return {item.key: item.inputs for item in list_items(config, None, QUICK)}

    before = read_inputs(Config())
    spaced = read_inputs(Config.model_validate({"detect": {"spacing_um": 1.5}}))
    assert before["detection, default"] != spaced["detection, default"]
    assert before["axes"] == spaced["axes"]
    elsewhere = read_inputs(Config.model_validate({"detect": {"device": "cpu"}}))
    assert before["detection, default"] == elsewhere["detection, default"], "where it runs changes no figure"
    learnt = read_inputs(Config.model_validate({"train_recognizer": {"steps": 3}}))
    assert before["typical, 1, default"] != learnt["typical, 1, default"]
    kept = {key: Measured(key, {}, inputs, {}) for key, inputs in spaced.items()}
    lines = {line.split(" | ")[0].strip("| "): line for line in render_tables([], kept).splitlines() if " | " in line}
    assert "| other detect settings, int8" in lines["detection, default"]
    assert lines["axes"].endswith("| current |")


def test_another_arithmetic_of_the_network_is_measured_again_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_inputs() -> dict:
        return {item.key: item.inputs for item in list_items(Config(), None, QUICK)}

    before = read_inputs()
    monkeypatch.setattr(detection_rows, "name_arithmetic", lambda *_: "int8 of another CPU")
    after = read_inputs()
    assert {key for key in before if before[key] != after[key]} == {"detection, default"}
    kept = {"detection, default": Measured("detection, default", {}, after["detection, default"], {})}
    assert "| current, int8 of another CPU |" in render_tables([], kept)


def test_the_papers_own_rows_do_not_depend_on_our_weights(tmp_path: Path) -> None:
    np.savez(tmp_path / "nerve.npz", volume=[0], xyz_um=[[0, 0, 0]], identity=[1])
    inputs = {item.key: item.inputs for item in list_items(Config(), tmp_path, QUICK)}
    assert inputs["NeRVE, 80, paper"]["models"] == {}
    assert "matcher" in inputs["NeRVE, 130, default"]["models"]


def test_our_names_stand_under_the_published_cell_types() -> None:
    def name(top1: float, steps: int, **labs: float) -> dict:
        animals = [{"lab": lab, "top1": share, "seconds": 0.5} for lab, share in {"HL": top1, **labs}.items()]
        return {"animals": animals, "train_s": 60.0, "steps": steps}

    needed = build_tables({}, None)[4].rows[-1]
    assert needed[2] == "needs wormnd.csv.gz", "the quick form looks at one group"
    look = measured(**{"names, a look": name(0.5, 7, EY=0.3)})
    row = build_tables(look, None)[4].rows[-1]
    assert row[2:4] == (50.0, 40.0)
    assert row[0].endswith("position only, a look: one of 4 groups, 7 training steps")
    groups = {f"names, group {number}": name(0.6 + number / 10, 9) for number in range(4)}
    first = build_tables(look | measured(**dict(list(groups.items())[:3])), None)[4].rows[-1]
    assert first == row, "a group is missing yet"
    row = build_tables(look | measured(**groups), None)[4].rows[-1]
    assert row[0].endswith("position only")
    assert row[2:4] == (75.0, 75.0)
    assert row[6:8] == ("1.0 min", "0.50")


def test_every_group_of_named_heads_is_a_row_that_can_be_measured_alone(tmp_path: Path) -> None:
    (tmp_path / "wormnd.csv.gz").touch()
    quick, full = (
        {item.key: item.inputs for item in list_items(Config(), tmp_path, scope) if item.key.startswith("names")}
        for scope in (QUICK, FULL)
    )
    assert list(quick) == ["names, a look"]
    assert list(full) == [f"names, group {number}" for number in range(4)]
    longer = Config.model_validate({"train_namer": {"steps": 9000}})
    again = {item.key: item.inputs for item in list_items(longer, tmp_path, FULL)}
    assert all(full[key] != again[key] for key in full), "other training, other names"


def test_a_name_that_is_too_long_for_a_cell_keeps_its_beginning_there() -> None:
    stages = {"stages_ms": {"detect": 100.0}, "total_ms": 112.0, "read_and_project_ms": 20.0}
    for table in build_tables(measured(stages=stages), None):
        bare = [
            row[0] for row in table.as_text()[0] if row[0].startswith("(") or row[0].count("(") != row[0].count(")")
        ]
        assert not bare, f"{table.heading}: what it is about is only in a note"


def test_rows_that_cannot_be_measured_here_are_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["bench", "tables", "--data", str(tmp_path), "--only", "NeRVE, 80"])
    assert isinstance(done.exception, ConfigError)
    assert "no row that can be measured with the data in" in str(done.exception)
    assert "features, objects and regions" in str(done.exception), "what can be is said"


def test_what_is_too_long_for_a_cell_becomes_one_note_below_the_table() -> None:
    need = "needs the authors' images beside their labels"
    table = Table("3", "Detection", ("data", "F1", "training"), (("C1", need, "8 h"), ("C2", need, f"no; {'x' * 50}")))
    rows, notes = table.as_text()
    assert rows == [["C1", "needs (1)", "8 h"], ["C2", "needs (1)", "no (2)"]]
    assert notes == [need.removeprefix("needs "), "x" * 50]
    text = render_tables([table], {})
    assert text.count(need.removeprefix("needs ")) == 1
    assert "(2) " + "x" * 50 in text
    assert table.as_json()["rows"][0][1] == need, "programs get it whole"
