"""Files in the layouts of the paper's authors: read to the pixel, refused where they contradict themselves."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from typer.testing import CliRunner

from cases.authors import NAME, save_drawn, save_labels
from cender.cli.app import app
from cender.errors import DataError
from cender.io import load_truth
from cender.io.exchange.authors.benchmark import load_benchmark
from cender.io.exchange.authors.boxes import load_neuron_boxes
from cender.io.exchange.authors.download import main, prepare_authors
from cender.io.exchange.authors.heads import load_head
from cender.io.exchange.authors.layout import build_volume, read_stack_name
from cender.io.exchange.authors.results import load_result
from cender.io.exchange.authors.rois import load_roi_array
from cender.io.exchange.doors import describe_annotations
from cender.io.exchange.format import Surroundings
from cender.io.exchange.formats import choose_format
from cender.types import VoxelSize


def test_matlab_boxes_are_counted_from_zero_and_half_open(tmp_path: Path) -> None:
    path = save_labels(tmp_path / f"PR_v150_{NAME}.mat", {(0, 1): [(7, 11, 21, 8, 6), (None, 100, 100, 5, 5)]})
    found = load_neuron_boxes(path)
    assert found == {0: [(1, 10.0, 20.0, 9.0, 7.0, 6), (1, 99.0, 99.0, 6.0, 6.0, -1)], 1: []}


def test_a_downloaded_folder_becomes_truth_folders(tmp_path: Path) -> None:
    folder = tmp_path / "download"
    (folder / "labels").mkdir(parents=True)
    same = [(3, 11, 21, 8, 6)]
    save_labels(folder / "labels" / f"PR_v150_{NAME}.mat", {(0, 0): same, (0, 1): same, (1, 0): [(4, 30, 30, 8, 8)]})
    save_labels(folder / "labels" / f"PR_v50_{NAME.replace('Stk001', 'Stk002')}.mat", {(0, 2): same})
    save_labels(folder / "labels" / f"PR_{NAME.replace('w6', 'w2')}.mat", {(0, 0): same})
    save_drawn(folder / "proofreading" / "ImgStk001_dk001_{w6_Dt210514" / "000.json")
    main([str(folder), str(tmp_path / "out")])
    first, second = load_truth(tmp_path / "out" / "C1"), load_truth(tmp_path / "out" / "C2")
    assert (sorted(first.annotations), len(second.annotations)) == ([0, 1, 2, 3], 2)
    assert first.voxel_um == (1.5, 0.3, 0.3)
    volume = first.annotations[0]
    assert volume.identity.tolist() == [2]
    assert volume.centre_um[0] == pytest.approx([0.75, 0.3 * 23, 0.3 * 14])
    assert volume.head is not None
    assert volume.head.anterior_yx.tolist() == [0, 1]
    assert first.annotations[2].regions.z.tolist() == [2], "the second stack follows the first"


def test_results_and_benchmarks_are_read(tmp_path: Path) -> None:
    result, bench = tmp_path / "001.json", tmp_path / "benchmark.json"
    result.write_text(json.dumps({"1": [[610, 519, 620, 529, 1], [610, 519, 620, 529, 2]], "2001": [[1, 1, 5, 5, 2]]}))
    assert load_result(result)[0] == (0, 609.0, 518.0, 10.0, 10.0, 0)
    assert load_result(result)[2] == (1, 0.0, 0.0, 4.0, 4.0, 2000)
    bench.write_text(json.dumps({"ImgStk_000": {"5": [[3, 10, 20, 19, 29, 1]]}}))
    assert load_benchmark(bench) == {"ImgStk_000": [(3, 10.0, 20.0, 9.0, 9.0, 5)]}


def test_a_box_array_gives_volumes(tmp_path: Path) -> None:
    array = np.full((2, 3, 6), np.nan)
    array[0, 1] = 100, 50, 15, 9, 7, 15
    np.save(tmp_path / "rois.npy", array)
    first, second = load_roi_array(tmp_path / "rois.npy")
    assert (first.identity.tolist(), len(second)) == ([1], 0)
    assert first.regions.z.tolist() == [2, 3, 4]
    assert first.centre_um[0] == pytest.approx([4.5, 15.0, 30.0])


def test_a_head_without_an_axis_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="ventral_x is missing"):
        load_head(save_drawn(tmp_path / "000.json", ventral_x=[]))
    with pytest.raises(DataError, match="centre of mass"):
        load_head(save_drawn(tmp_path / "001.json", anterior_y=[50, 40]))


@pytest.mark.parametrize(
    ("box", "said"),
    [((0, 1020.0, 3.0, 9.0, 9.0, 1), "inside of 1024"), ((0, 1.0, 1.0, 0.0, 4.0, 1), "inside of 1024")],
)
def test_boxes_outside_of_the_frame_are_refused(box: tuple, said: str) -> None:
    with pytest.raises(DataError, match=said):
        build_volume(0, [box], Path("labels.mat"))


def test_two_boxes_of_one_identity_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "download"
    folder.mkdir()
    save_labels(folder / f"{NAME}.mat", {(0, 0): [(3, 11, 21, 8, 6), (3, 60, 60, 8, 6)]})
    with pytest.raises(DataError, match="identity 2 has two boxes in frame 0"):
        main([str(folder), str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_one_identity_in_two_places_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "download"
    folder.mkdir()
    save_labels(folder / f"{NAME}.mat", {(0, 0): [(3, 11, 21, 8, 6)], (0, 1): [(3, 600, 21, 8, 6)]})
    with pytest.raises(DataError, match="identity 2 lies in two places, 589 pixels apart in frames 0 and 1"):
        main([str(folder), str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_one_command_makes_truth_folders_of_a_download_and_measures_them(tmp_path: Path) -> None:
    same = [(3, 11, 21, 8, 6)]
    save_labels(tmp_path / f"PR_v150_{NAME}.mat", {(0, 0): same, (0, 1): same, (1, 0): [(4, 30, 30, 8, 8)]})
    words = ["bench", "tables", "--data", str(tmp_path), "--only", "count", "--json"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert (tmp_path / "C1" / "truth.toml").is_file()
    first = json.loads(done.stdout)["tables"][0]
    assert first["rows"][1][:2] == ["C1", 2], "volumes at hand stand under the published row"
    assert prepare_authors(tmp_path) == {}, "what is there is left alone"


def test_other_layouts_are_refused(tmp_path: Path) -> None:
    savemat(tmp_path / "other.mat", {"something": np.zeros(3)})
    with pytest.raises(DataError, match="expected a cell array neuron_boxes"):
        load_neuron_boxes(tmp_path / "other.mat")
    (tmp_path / "list.json").write_text("[1, 2]")
    with pytest.raises(DataError, match="expected an object"):
        load_result(tmp_path / "list.json")
    np.save(tmp_path / "flat.npy", np.zeros((3, 4)))
    with pytest.raises(DataError, match="volumes × neurons × 6"):
        load_roi_array(tmp_path / "flat.npy")
    with pytest.raises(DataError, match="neuron_boxes named as the authors"):
        main([str(tmp_path), str(tmp_path / "out")])


def test_a_refused_file_leaves_no_folder_behind(tmp_path: Path) -> None:
    np.save(tmp_path / "recording.npy", np.zeros((2, 4, 32, 32), np.uint16))
    savemat(tmp_path / "other.mat", {"something": np.zeros(3)})
    words = ["import", str(tmp_path / "worm"), str(tmp_path / "other.mat"), "--format", "authors-boxes"]
    words += ["--recording", str(tmp_path / "recording.npy"), "--set", "recording.axes=tzyx"]
    words += ["--set", "recording.voxel_um=[1,0.3,0.3]", "--set", "recording.roles=red"]
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, DataError)
    assert "neuron_boxes" in str(done.exception)
    assert not (tmp_path / "worm").exists()


def test_names_of_stacks_say_the_animal() -> None:
    stack = read_stack_name(Path(f"PR_v150_{NAME}_red.mat"))
    assert stack is not None
    assert (stack.animal, stack.number) == ("C1", 1)
    assert read_stack_name(Path("recording_01.mat")) is None


def test_their_files_are_imported_by_name_of_format(tmp_path: Path) -> None:
    boxes = save_labels(tmp_path / f"PR_{NAME}.mat", {(0, 0): [(3, 11, 21, 8, 6)]})
    (tmp_path / "002.json").write_text(json.dumps({"1": [[610, 519, 620, 529, 3]]}))
    array = np.full((1, 2, 6), np.nan)
    array[0, 1] = 100, 50, 15, 9, 7, 5
    np.save(tmp_path / "rois.npy", array)
    around = Surroundings(VoxelSize(3.0, 0.6, 0.6), 4.0, (5, 2, 18, 1024, 1024))
    found = {}
    for path, name in ((boxes, "boxes"), (tmp_path / "002.json", "results"), (tmp_path / "rois.npy", "rois")):
        chosen = choose_format(path)
        assert chosen.name == f"authors-{name}"
        assert chosen.load is not None
        found[name] = chosen.load(path, around).known
    assert [list(one.annotations) for one in found.values()] == [[0], [1], [0]]
    assert found["results"].annotations[1].centre_um[0] == pytest.approx([6.0, 0.6 * 522.5, 0.6 * 613.5])
    assert found["rois"].annotations[0].identity.tolist() == [1]
    assert found["boxes"].rate_hz == 4.0
    assert not any(one.complete for known in found.values() for one in known.annotations.values())


def test_a_benchmark_file_of_one_recording_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "benchmark.json"
    path.write_text(json.dumps({f"{NAME}_001": {"5": [[3, 10, 20, 19, 29, 1]]}, f"{NAME}_000": {}}))
    chosen = choose_format(path)
    assert chosen.name == "authors-benchmark"
    assert chosen.load is not None
    known = chosen.load(path, Surroundings()).known
    assert {volume: one.identity.tolist() for volume, one in known.annotations.items()} == {1: [5]}
    path.write_text(json.dumps({f"{NAME}_000": {}, "ImgStk002_000": {"5": [[3, 10, 20, 19, 29, 1]]}}))
    with pytest.raises(DataError, match="those of 2 stacks"):
        chosen.load(path, Surroundings())
    path.write_text(json.dumps({"first": {}}))
    with pytest.raises(DataError, match="a number"):
        chosen.load(path, Surroundings())


def test_proofread_heads_are_imported_and_leave_neurons_alone(tmp_path: Path) -> None:
    folder = tmp_path / "ImgStk001_dk001_{w6_Dt210514"
    save_drawn(folder / "000.json")
    save_drawn(folder / "002.json", anterior_y=[10, 40])
    chosen = choose_format(folder)
    assert chosen.name == "authors-heads"
    assert chosen.load is not None
    around = Surroundings(shape=(3, 2, 18, 1024, 1024))
    known = chosen.load(folder, around).known
    edits = describe_annotations(known, around, "heads")
    assert [(type(one).__name__, one.volume) for one in edits] == [("SetHead", 0), ("SetHead", 2)]
    assert known.annotations[2].head is not None
    assert known.annotations[2].head.anterior_yx.tolist() == [0, -1]
    with pytest.raises(DataError, match="speaks of volume 2"):
        describe_annotations(known, Surroundings(shape=(2, 2, 18, 1024, 1024)), "heads")
    (folder / "notes.json").write_text("{}")
    with pytest.raises(DataError, match=r"expected files named 000\.json"):
        chosen.load(folder, Surroundings())
