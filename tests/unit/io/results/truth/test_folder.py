"""Truth folders as people write them, as we write them, and as nobody should."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cender.errors import DataError, UnsupportedFormat
from cender.io.results.tables.heads import parse_outline
from cender.io.results.truth.folder import load_truth, save_truth
from cender.io.results.truth.writer import TruthWriter
from cender.types import Annotation, Annotations, Crop, Head, Regions, VoxelSize

OPEN = "format = 1\nvoxel_um = [2, 0.5, 0.25]\nrate_hz = 5\n"
ROOT = OPEN + "complete = true\n"
REGIONS = "volume,neuron,z,x,y,w,h,identity\n"
POINTS = "volume,z_um,y_um,x_um,identity"


def write_folder(folder: Path, root: str = ROOT, **tables: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "truth.toml").write_text(root, encoding="utf-8")
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def simple_annotation(volume: int = 0) -> Annotation:
    return Annotation.from_points(volume, np.array([[1.0, 2.0, 3.0]]), np.array([4]))


def test_centre_of_a_neuron_is_the_mean_of_its_boxes(tmp_path: Path) -> None:
    rows = "3,17,2,10,20,5,3,6\n3,17,3,12,20,5,5,\n3,40,0,0,0,1,1,\n3,-1,1,5,5,2,2,\n"
    truth = load_truth(write_folder(tmp_path / "t", regions=REGIONS + rows))
    annotation = truth.annotations[3]
    # Box centres are x + (w - 1) / 2: x 12 and 14, y 21 and 22, z 2 and 3; then times the voxel size.
    np.testing.assert_allclose(annotation.centre_um, [[2.5 * 2, 21.5 * 0.5, 13 * 0.25], [0, 0, 0]])
    assert annotation.identity.tolist() == [6, -1]
    assert annotation.regions.neuron.tolist() == [0, 0, 1, -1]
    assert annotation.complete
    assert (truth.voxel_um, truth.rate_hz) == (VoxelSize(2.0, 0.5, 0.25), 5.0)


def test_boxes_without_a_voxel_size_take_that_of_their_recording_or_are_refused(tmp_path: Path) -> None:
    bare = write_folder(tmp_path / "t", "format = 1\ncomplete = true\n", regions=REGIONS + "0,0,2,1,1,5,3,6\n")
    with pytest.raises(DataError, match=r"volume 0: expected a voxel size.*voxel_um = \[z, y, x\].*truth\.toml"):
        load_truth(bare)
    told = load_truth(bare, VoxelSize(3.0, 0.5, 0.25))
    assert told.annotations[0].centre_um.tolist() == [[6, 1, 0.75]]
    assert told.voxel_um == told.annotations[0].voxel_um == VoxelSize(3.0, 0.5, 0.25)
    sure = load_truth(write_folder(tmp_path / "s", regions=REGIONS + "0,0,2,1,1,5,3,6\n"), VoxelSize(3.0, 0.5, 0.25))
    assert sure.voxel_um == VoxelSize(2.0, 0.5, 0.25), "what truth.toml says counts"


def test_bare_points_are_a_truth(tmp_path: Path) -> None:
    path = tmp_path / "worm.csv"
    path.write_text(POINTS + ",time_s,name,colour0\n7,1,2,3,4,1.5,AVAL,0.3\n7,2,2,3,,1.5,,0.1\n9,1,2,3,4,,,0.2\n")
    truth = load_truth(path)
    assert sorted(truth.annotations) == [7, 9]
    assert truth.annotations[7].identity.tolist() == [4, -1]
    assert truth.annotations[7].centre_um.tolist() == [[1, 2, 3], [2, 2, 3]]
    assert (truth.names, truth.time_s, truth.voxel_um) == ({4: "AVAL"}, {7: 1.5}, None)
    assert not any(one.complete for one in truth.annotations.values()), "a table cannot say that nothing is missing"
    assert all(one.complete for one in load_truth(path, complete=True).annotations.values())


def test_points_and_boxes_meet_by_neuron_or_by_identity(tmp_path: Path) -> None:
    boxes = REGIONS + "0,5,2,1,1,5,3,\n0,8,2,9,9,5,3,3\n"
    by_number = load_truth(
        write_folder(tmp_path / "n", regions=boxes, points=POINTS + ",neuron\n0,7,7,7,2,5\n0,9,9,9,,\n")
    ).annotations[0]
    assert by_number.identity.tolist() == [2, 3, -1]
    assert by_number.centre_um[[0, 2]].tolist() == [[7, 7, 7], [9, 9, 9]]
    assert by_number.regions.neuron.tolist() == [0, 1]
    by_identity = load_truth(
        write_folder(tmp_path / "i", regions=boxes, points=POINTS + "\n0,7,7,7,3\n0,6,6,6,1\n")
    ).annotations[0]
    assert by_identity.identity.tolist() == [-1, 3, 1]
    assert by_identity.centre_um[1:].tolist() == [[7, 7, 7], [6, 6, 6]]
    with pytest.raises(DataError, match=r"volume 0: points and boxes without identity.*add a column neuron"):
        load_truth(write_folder(tmp_path / "a", regions=boxes, points=POINTS + "\n0,7,7,7,\n"))


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"regions": "0,1,2,1,1,5,3,4\n0,1,3,1,1,5,3,5\n"}, "neuron 1 of regions: a neuron has one identity"),
        ({"regions": "0,1,2,1,1,5,3,4\n0,2,3,1,1,5,3,4\n"}, "identity 4 belongs to more than one neuron"),
        (
            {"regions": "0,1,2,1,1,5,3,4\n", "points": ",neuron\n0,1,1,1,5,1\n"},
            "identity 5 in points but 4 in regions",
        ),
        ({"points": ",name\n0,1,1,1,5,AVAL\n1,1,1,1,5,AVAR\n"}, "identity 5 is named 'AVAL' and 'AVAR'"),
        (
            {"points": ",time_s\n0,1,1,1,5,1.0\n0,1,1,1,6,2.0\n"},
            "volume 0: a volume has one time_s, found 1, 2",
        ),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, tables: dict[str, str], message: str) -> None:
    headers = {"regions": REGIONS, "points": POINTS}
    with pytest.raises(DataError, match=message):
        load_truth(write_folder(tmp_path / "t", **{name: headers[name] + rows for name, rows in tables.items()}))


@pytest.mark.parametrize(
    ("root", "kind", "message"),
    [
        (
            "format = 2\nsomething = 1\n",
            UnsupportedFormat,
            "truth folder of format 2; this cender knows up to 1",
        ),
        ("format = 0\n", UnsupportedFormat, "no truth folder of format 0; write format = 1"),
        ("voxel_um = [1, 1, 1]\n", DataError, "expected a line like format = 1, found no such line"),
        ("format = '1'\n", DataError, "expected a line like format = 1, found '1'"),
        (
            "format = 1\nvoxel_size = [1, 1, 1]\n",
            DataError,
            "unknown key 'voxel_size'; did you mean 'voxel_um'",
        ),
        ("format = 1\nvoxel_um = [1, 1]\n", DataError, r"truth\.toml, voxel_um"),
        ("format = 1\nrate_hz = 0\n", DataError, r"truth\.toml, rate_hz: .*greater than 0"),
        ("format = 1\nholds = ['heads']\n", DataError, r"should hold heads\.csv or heads\.parquet"),
        ("format 1", DataError, r"truth\.toml is not valid TOML"),
    ],
)
def test_bad_root_is_refused(tmp_path: Path, root: str, kind: type[DataError], message: str) -> None:
    with pytest.raises(kind, match=message):
        load_truth(write_folder(tmp_path / "t", root, points=POINTS + "\n0,1,1,1,5\n"))


def test_folder_that_is_no_truth_says_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such truth folder"):
        load_truth(tmp_path / "none")
    with pytest.raises(DataError, match=r"is not a truth folder: expected truth\.toml in it, it is empty"):
        load_truth(tmp_path)
    (tmp_path / "points.csv").write_text("x")
    with pytest.raises(DataError, match=r"expected truth\.toml in it, found points\.csv"):
        load_truth(tmp_path)
    (tmp_path / "run.toml").write_text("format = 1")
    with pytest.raises(DataError, match=r"is a run folder \(run\.toml\), not a truth folder"):
        load_truth(tmp_path)
    with pytest.raises(DataError, match="holds no table"):
        load_truth(write_folder(tmp_path / "empty"))


def test_same_table_as_csv_and_parquet_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "t", points=POINTS + "\n0,1,1,1,5\n")
    before = load_truth(folder)
    pl.read_csv(folder / "points.csv").write_parquet(folder / "points.parquet")
    with pytest.raises(DataError, match=r"holds points\.csv and points\.parquet; remove"):
        load_truth(folder)
    (folder / "points.csv").unlink()
    after = load_truth(folder)
    assert after.annotations[0].centre_um.tolist() == before.annotations[0].centre_um.tolist()


def test_complete_is_asked_for(tmp_path: Path) -> None:
    points = POINTS + "\n0,1,2,3,4\n"
    with pytest.raises(DataError, match="write `complete = true` into"):
        load_truth(write_folder(tmp_path / "t", OPEN, points=points))
    said = load_truth(write_folder(tmp_path / "v", OPEN, points=points, volumes="volume,complete\n0,false\n"))
    assert not said.annotations[0].complete


def test_only_annotated_volumes_are_complete(tmp_path: Path) -> None:
    heads = "volume,origin_y,origin_x,anterior_y,anterior_x,ventral_y,ventral_x\n0,1,1,1,0,0,1\n1,1,1,1,0,0,1\n"
    points = POINTS + "\n0,1,1,1,5\n"
    truth = load_truth(write_folder(tmp_path / "t", heads=heads, points=points))
    assert {v: a.complete for v, a in truth.annotations.items()} == {0: True, 1: False}
    partial = load_truth(write_folder(tmp_path / "p", OPEN + "complete = false\n", points=points))
    assert not partial.annotations[0].complete
    volumes = "volume,complete,flagged\n0,,\n1,true,true\n2,false,\n"
    listed = load_truth(write_folder(tmp_path / "v", heads=heads, points=points, volumes=volumes))
    assert {v: a.complete for v, a in listed.annotations.items()} == {0: True, 1: True, 2: False}
    assert {v: a.flagged for v, a in listed.annotations.items()} == {0: False, 1: True, 2: False}


def test_head_without_crop_is_bounded_by_its_outline(tmp_path: Path) -> None:
    header = "volume,origin_y,origin_x,anterior_y,anterior_x,ventral_y,ventral_x,outline\n"
    folder = write_folder(tmp_path / "t", heads=header + "0,1,2,0,1,1,0,3.5 7;10 7;10 9.5\n1,1,2,0,1,1,0,\n")
    truth = load_truth(folder)
    head = truth.annotations[0].head
    assert head is not None
    assert head.crop == Crop(x=7, y=3, w=4, h=8)
    assert head.outline_yx.tolist() == [[3.5, 7], [10, 7], [10, 9.5]]
    assert (head.origin_yx.tolist(), head.anterior_yx.tolist(), head.ventral_yx.tolist()) == (
        [1, 2],
        [0, 1],
        [1, 0],
    )
    without = truth.annotations[1].head
    assert without is not None
    assert without.crop == Crop(0, 0, 0, 0)


@pytest.mark.parametrize("text", ["3.5", "1 2;3", "a b", "1 2;nan 3"])
def test_bad_outline_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"heads\.csv, column 'outline': expected pairs"):
        parse_outline(text, "heads.csv")


def test_writer_puts_nothing_in_place_before_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    with TruthWriter(folder, voxel_um=VoxelSize(1.0, 1.0, 1.0), provenance={"seed": 3}) as writer:
        writer.add(simple_annotation(), time_s=0.1, ratio={4: 1.5})
        assert {file.suffix for file in folder.iterdir()} == {".part"}
        with pytest.raises(DataError, match="not a truth folder"):
            load_truth(folder)
    truth = load_truth(folder)
    assert truth.ratio == {(4, 0): 1.5}
    assert truth.provenance["seed"] == "3"
    assert {file.name for file in folder.iterdir()} == {
        "truth.toml",
        "points.csv",
        "traces.csv",
        "volumes.csv",
    }


def test_failed_writer_leaves_nothing(tmp_path: Path) -> None:
    def write_and_fail() -> None:
        with TruthWriter(tmp_path) as writer:
            writer.add(simple_annotation())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    assert list(tmp_path.iterdir()) == []


def test_killed_writer_leaves_no_truth(tmp_path: Path) -> None:
    script = (
        "import os, sys, pathlib, numpy as np\n"
        "from cender.io.results.truth.writer import TruthWriter\n"
        "from cender.types import Annotation\n"
        "with TruthWriter(pathlib.Path(sys.argv[1])) as writer:\n"
        "    writer.add(Annotation.from_points(0, np.zeros((1, 3))))\n"
        "    os._exit(7)\n"
    )
    run = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, env=dict(os.environ))
    assert run.returncode == 7
    assert any(tmp_path.iterdir())
    with pytest.raises(DataError, match="not a truth folder"):
        load_truth(tmp_path)
    save_truth(Annotations("", None, None, {0: simple_annotation()}), tmp_path)
    assert len(load_truth(tmp_path)) == 1


def test_truth_is_replaced_only_when_asked(tmp_path: Path) -> None:
    boxed = Annotation(
        0,
        np.ones((1, 3)),
        np.array([1]),
        np.ones(1),
        Regions.from_boxes(np.array([0]), np.ones((1, 4)), neuron=np.array([0])),
        Head(Crop(0, 0, 1, 1), np.zeros((0, 2)), np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        voxel_um=VoxelSize(1.5, 0.3, 0.3),
    )
    save_truth(Annotations("", boxed.voxel_um, None, {0: boxed}), tmp_path)
    (tmp_path / "recording.tif").write_text("not ours")
    with pytest.raises(DataError, match="holds a truth already"):
        save_truth(Annotations("", None, None, {5: simple_annotation(5)}), tmp_path)
    save_truth(Annotations("", None, None, {5: simple_annotation(5)}), tmp_path, overwrite=True)
    truth = load_truth(tmp_path)
    assert list(truth.annotations) == [5]
    assert {file.name for file in tmp_path.iterdir()} == {
        "truth.toml",
        "points.csv",
        "volumes.csv",
        "recording.tif",
    }


def test_volume_is_added_once(tmp_path: Path) -> None:
    with TruthWriter(tmp_path) as writer:
        writer.add(simple_annotation())
        with pytest.raises(DataError, match="volume 0 is added twice"):
            writer.add(simple_annotation())
