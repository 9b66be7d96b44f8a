"""Annotations through files: in as one edit or not at all, out with people's work over the machine's."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cases.recorded import VOXEL, make_outcome
from cender.annotate.edits import Assign, DeleteNeuron, ReviewVolume
from cender.annotate.marks import Spot
from cender.cli.app import app
from cender.errors import CenderError, DataError, EditError, UnsupportedFormat
from cender.io import create_run, load_truth, save_outcomes
from cender.io.exchange.doors import export_file, gather_annotations, import_file
from cender.io.exchange.format import THINGS
from cender.io.exchange.formats import EXCHANGE_FORMATS, choose_format
from cender.io.results.annotations.log import EditLog

POINTS = "volume,z_um,y_um,x_um,identity,name\n1,1.5,1.0,2.5,17,AVAL\n1,1.5,5.1,2.5,,\n2,3,9,2.5,23,\n"
REGIONS = "volume,neuron,z,x,y,w,h,identity\n1,0,1,4,1,3,3,17\n1,0,2,4,1,3,3,17\n1,4,1,4,9,3,3,\n"


@pytest.fixture
def worm(tmp_path: Path) -> Path:
    """Three volumes with three neurons each, 4 µm apart."""
    run = create_run(
        tmp_path / "worm", {"recording": {"voxel_um": list(VOXEL), "rate_hz": 5.0, "shape": [3, 2, 3, 24, 20]}}
    )
    save_outcomes(run, [make_outcome(volume) for volume in range(3)], VOXEL)
    return run.path


def save(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_points_come_in_as_one_edit_with_author_and_go_with_one_undo(worm: Path, tmp_path: Path) -> None:
    moved = import_file(worm, save(tmp_path / "points.csv", POINTS), "ana")
    assert (moved.format, moved.volumes, moved.neurons, moved.identities) == ("points", 2, 3, 2)
    with EditLog(worm) as log:
        (entry,) = log.since()
        assert (entry.author, entry.words) == ("ana", "import of points.csv (points)")
        assert [mark.identity for mark in log.state(1).marks.values()] == [17, None]
        assert log.identities()[17].name == "AVAL"
        assert not log.state(1).complete, "a bare table does not say that it is complete"
        log.undo("ana")
        assert log.states() == {}


@pytest.mark.parametrize(
    ("row", "words"),
    [("0,1.5,11,2.5,3", ""), ("0,1.5,2.5,11,3", "exchanged"), ("0,1.5,-9,2,3", "centred on the animal")],
)
def test_places_outside_of_the_images_are_refused(worm: Path, tmp_path: Path, row: str, words: str) -> None:
    file = save(tmp_path / "points.csv", f"volume,z_um,y_um,x_um,identity\n{row}\n")
    if not words:
        assert import_file(worm, file, "ana").neurons == 1
        return
    with pytest.raises(DataError, match=words):
        import_file(worm, file, "ana")
    assert not (worm / "annotations.sqlite").exists()


def test_what_has_no_place_in_a_format_is_counted_and_said(worm: Path, tmp_path: Path) -> None:
    bare = create_run(tmp_path / "bare", {"recording": {"voxel_um": list(VOXEL), "shape": [3, 2, 3, 24, 20]}}).path
    import_file(bare, save(tmp_path / "points.csv", POINTS), "ana")
    with pytest.raises(DataError, match=r"all neurons in .* are without a box"):
        export_file(bare, tmp_path / "regions.csv")
    assert not (tmp_path / "regions.csv").exists()
    moved = export_file(bare, tmp_path / "annotations.h5")
    assert (moved.neurons, moved.identities) == (2, 2)
    assert "1 neuron without an identity" in moved.lost
    assert "2 identities seen in one volume only" in export_file(bare, tmp_path / "worm.xml").lost


def test_regions_become_neurons_with_boxes(worm: Path, tmp_path: Path) -> None:
    import_file(worm, save(tmp_path / "regions.csv", REGIONS), "ana")
    with EditLog(worm) as log:
        first, second = log.state(1).marks.values()
    assert [box.z for box in first.boxes or ()] == [1, 2]
    assert first.centre_um == (2.25, 1.0, 2.5)
    assert (first.identity, second.identity) == (17, None)


def test_a_truth_folder_goes_out_and_comes_in_again(worm: Path, tmp_path: Path) -> None:
    import_file(worm, save(tmp_path / "points.csv", POINTS), "ana")
    export_file(worm, tmp_path / "truth", human_only=True)
    truth = load_truth(tmp_path / "truth")
    assert {volume: one.identity.tolist() for volume, one in truth.annotations.items()} == {1: [17, -1], 2: [23]}
    with EditLog(worm) as log:
        before = {volume: list(state.marks.values()) for volume, state in log.states().items()}
        log.undo("ana")
    import_file(worm, tmp_path / "truth", "ben")
    with EditLog(worm) as log:
        after = {volume: list(state.marks.values()) for volume, state in log.states().items()}
    assert after == before


@pytest.mark.parametrize("name", ["points.csv", "regions.csv", "truth"])
def test_what_goes_out_is_people_s_work_over_the_machine_s(worm: Path, tmp_path: Path, name: str) -> None:
    places = make_outcome(1).neurons.centre_px * np.array(VOXEL)
    with EditLog(worm) as log:
        spots = [Spot(volume=1, key=f"m{row}", place_um=tuple(place)) for row, place in enumerate(places.tolist())]
        log.append("ana", Assign(spots=(spots[0],), identity=17))
        log.append("ana", DeleteNeuron(spot=spots[2]))
    moved = export_file(worm, tmp_path / name)
    assert moved.neurons == 8
    other = create_run(tmp_path / "other", {"recording": {"voxel_um": list(VOXEL)}}).path
    import_file(other, tmp_path / name, "ben")
    with EditLog(other) as log:
        assert [mark.identity for mark in log.state(1).marks.values()] == [17, None]
        assert len(log.state(0).marks) == 3


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("points.csv", POINTS + "9,1,1,1,5,\n", "volume 9, but the recording has 3"),
        ("points.csv", POINTS + "2,1,1,1,23,\n", "identity"),
        ("points.csv", POINTS.replace("5.1", "inf"), "y_um"),
        ("points.csv", "volume,z_um\n1,2\n", "y_um"),
        ("points.csv", "volume,z_um,y_um,x_um,identity\n", "says nothing"),
        ("points.xyz", POINTS, "give it with --format"),
        ("points.csv", POINTS + "2,1,1,1", "cut off: its last line ends after 4 of 6 fields"),
        ("regions.csv", REGIONS + "2,0,1,2,3", "cut off: its last line ends after 5 of"),
        ("lab.csv", "t,x,y,z,id\n0,1,1,1,4\n1,2,2", "cut off: its last line ends after 3 of 5 fields"),
        ("layer.csv", "index,axis-0,axis-1,axis-2,axis-3\n0,0,1,1,1\n1,0,1,2", "cut off"),
        ("worm.nwb", POINTS, "is not an HDF5 file"),
    ],
)
def test_a_bad_file_changes_nothing_and_is_explained(
    worm: Path, tmp_path: Path, name: str, text: str, words: str
) -> None:
    import_file(worm, save(tmp_path / "good.csv", POINTS), "ana")
    with pytest.raises(CenderError, match=words):
        import_file(worm, save(tmp_path / name, text), "ana")
    with EditLog(worm) as log:
        assert log.revision == 1


def test_a_last_line_without_an_end_is_taken(worm: Path, tmp_path: Path) -> None:
    assert import_file(worm, save(tmp_path / "points.csv", POINTS.rstrip("\n")), "ana").neurons == 3


def test_boxes_are_known_by_their_columns_too(worm: Path, tmp_path: Path) -> None:
    assert import_file(worm, save(tmp_path / "mine.csv", REGIONS), "ana").format == "regions"


def test_places_are_told_only_where_they_are_asked_for(worm: Path, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFormat, match="--places is for arrays, table; points says itself"):
        import_file(worm, save(tmp_path / "points.csv", POINTS), "ana", places="xyz,px")


@pytest.mark.parametrize(
    ("name", "format", "words"),
    [
        ("worm.csv", "nwb", r"nwb is written as \.nwb; found .*worm\.csv"),
        ("worm.parquet", None, r"points is written as \.csv"),
        ("worm.npy", "arrays", r"arrays is written as \.npz"),
        ("worm.npy", None, "give it with --format"),
        ("worm.tif", "zephir", r"zephir is written as \.h5 or \.hdf5 or a folder"),
    ],
)
def test_nothing_is_written_under_a_name_of_something_else(
    worm: Path, tmp_path: Path, name: str, format: str | None, words: str
) -> None:
    with pytest.raises(UnsupportedFormat, match=words):
        export_file(worm, tmp_path / name, format)
    assert not (tmp_path / name).exists()


def test_zephir_is_written_into_a_folder_that_is_made(worm: Path, tmp_path: Path) -> None:
    import_file(worm, save(tmp_path / "points.csv", POINTS), "ana")
    export_file(worm, tmp_path / "zephir", "zephir")
    assert {path.name for path in (tmp_path / "zephir").iterdir()} == {"annotations.h5", "worldlines.h5"}


def test_the_same_file_twice_changes_nothing(worm: Path, tmp_path: Path) -> None:
    file = save(tmp_path / "points.csv", POINTS)
    assert import_file(worm, file, "ana").changed
    assert not import_file(worm, file, "ben").changed
    with EditLog(worm) as log:
        assert (log.revision, len(log.state(1).marks)) == (1, 2)


OTHER = "volume,z_um,y_um,x_um,identity,name\n0,1,2,2,4,\n1,1.5,1.0,2.5,18,\n"


def test_people_s_work_is_not_replaced_unasked(worm: Path, tmp_path: Path) -> None:
    import_file(worm, save(tmp_path / "points.csv", POINTS), "ana")
    file = save(tmp_path / "other.csv", OTHER)
    with pytest.raises(EditError, match=r"volume 1: 2 neurons.*--conflict replace"):
        import_file(worm, file, "ben")
    with EditLog(worm) as log:
        assert log.revision == 1
    kept = import_file(worm, file, "ben", conflict="keep")
    assert "stays in 1 place: volume 1: 2 neurons" in kept.doubts[0]
    with EditLog(worm) as log:
        assert [len(log.state(volume).marks) for volume in range(3)] == [1, 2, 1]
    assert "replaced in 1 place:" in import_file(worm, file, "ben", conflict="replace").doubts[0]
    with EditLog(worm) as log:
        assert [mark.identity for mark in log.state(1).marks.values()] == [18]
        log.undo("ben")
        assert [mark.identity for mark in log.state(1).marks.values()] == [17, None]


def test_another_name_for_an_identity_is_a_conflict(worm: Path, tmp_path: Path) -> None:
    import_file(worm, save(tmp_path / "points.csv", POINTS), "ana")
    with pytest.raises(EditError, match="identity 17: called AVAL, AVAR in the file"):
        import_file(worm, save(tmp_path / "other.csv", POINTS.replace("AVAL", "AVAR")), "ben")


@pytest.mark.parametrize("name", ["points.csv", "annotations.h5"])
def test_files_are_not_overwritten_unasked(worm: Path, tmp_path: Path, name: str) -> None:
    import_file(worm, save(tmp_path / "mine.csv", POINTS), "ana")
    export_file(worm, tmp_path / name)
    for there in (tmp_path / name, tmp_path / "worldlines.h5"):
        if there.exists():
            before = there.read_bytes()
            with pytest.raises(DataError, match="--overwrite"):
                export_file(worm, tmp_path / name)
            assert there.read_bytes() == before
    export_file(worm, tmp_path / name, overwrite=True)


def test_boxes_need_a_voxel_size(tmp_path: Path) -> None:
    bare = create_run(tmp_path / "bare", {"recording": {}}).path
    with pytest.raises(DataError, match="voxel_um=Z,Y,X"):
        import_file(bare, save(tmp_path / "regions.csv", REGIONS), "ana")


def test_people_s_work_goes_out_before_the_first_run(tmp_path: Path) -> None:
    facts = {"voxel_um": list(VOXEL), "rate_hz": 5.0, "shape": [3, 2, 3, 24, 20]}
    bare = create_run(tmp_path / "bare", {"recording": facts}).path
    import_file(bare, save(tmp_path / "points.csv", POINTS), "ana")
    assert export_file(bare, tmp_path / "out.csv").neurons == 3
    assert export_file(bare, tmp_path / "annotations.h5", human_only=True).identities == 2


def test_nothing_to_export_is_said(worm: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="people have said nothing"):
        export_file(worm, tmp_path / "points.csv", human_only=True)
    assert not (tmp_path / "points.csv").exists()


def test_formats_are_chosen_by_name_or_path_and_described() -> None:
    assert [choose_format(Path(name)).name for name in ("a.csv", "regions.csv", "folder")] == [
        "points",
        "regions",
        "truth",
    ]
    assert choose_format(Path("a.csv"), "regions").name == "regions"
    with pytest.raises(UnsupportedFormat, match="unknown format 'zephr'; did you mean zephir"):
        choose_format(Path("a.csv"), "zephr")
    with pytest.raises(UnsupportedFormat, match=r"Files that end in .h5:\n  zephir .*\n  traces-h5 ") as caught:
        choose_format(Path("worm.h5"), writing=True)
    assert "geff" not in str(caught.value)
    for one in EXCHANGE_FORMATS:
        assert one.title
        assert set(one.keeps) <= set(THINGS)
        assert one.load or one.save


def test_commands_say_what_went_through(worm: Path, tmp_path: Path) -> None:
    file = save(tmp_path / "mine.csv", POINTS)
    done = CliRunner().invoke(app, ["import", str(worm), str(file), "--author", "ana"])
    assert (done.exit_code, "3 neurons with 2 identities in 2 volumes" in done.stderr) == (0, True)
    done = CliRunner().invoke(app, ["import", str(worm), str(file), "--author", "ana"])
    assert (done.exit_code, "nothing new" in done.stderr) == (0, True)
    done = CliRunner().invoke(app, ["export", str(worm), str(tmp_path / "all.csv")])
    assert (done.exit_code, "not in it: boxes" in done.stderr) == (0, True)
    done = CliRunner().invoke(app, ["export", str(worm), str(tmp_path / "more.csv"), "--json"])
    told = json.loads(done.stdout)
    assert (told["format"], told["volumes"], told["neurons"], "boxes" in told["lost"]) == ("points", 3, 9, True)
    assert len(gather_annotations(worm).annotations) == 3


def test_an_exported_volume_is_complete_only_where_a_person_said_so(worm: Path, tmp_path: Path) -> None:
    with EditLog(worm) as log:
        log.append("ana", ReviewVolume(volume=1))
    export_file(worm, tmp_path / "truth")
    truth = load_truth(tmp_path / "truth")
    assert {volume: one.complete for volume, one in truth.annotations.items()} == {0: False, 1: True, 2: False}
