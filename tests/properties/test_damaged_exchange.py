"""Damaged files of every format that is imported: annotations, or an error of ours and nothing imported at all."""

import json
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from cases.damage import damage_file, patience
from cases.exchanged import SHAPE, VOLUMES, add_subject, make_worm
from cases.recorded import VOXEL
from cender.errors import CenderError
from cender.io import create_run
from cender.io.exchange.doors import export_file, import_file
from cender.io.exchange.formats import EXCHANGE_FORMATS

NAMES = {
    "nwb": "worm.nwb",
    "zephir": "zephir",
    "napari": "napari.csv",
    "trackmate": "worm.xml",
    "geff": "worm.geff",
    "nerve": "pointStats.mat",
    "fdnc": "fdnc",
    "arrays": "points.npz",
    "table": "table.csv",
    "regions": "regions.csv",
    "points": "points.csv",
    "truth": "truth",
    "authors-boxes": "boxes.mat",
    "authors-results": "results",
    "authors-rois": "rois.npy",
    "authors-benchmark": "benchmark.json",
    "authors-heads": "heads",
}
# Formats that we read and do not write.
FOREIGN = {"nerve", "table", *(name for name in NAMES if name.startswith("authors-"))}
# The authors' boxes need room.
SHAPES = {name: (VOLUMES, 2, 20, 1024, 1024) if name.startswith("authors-") else (VOLUMES, 2, *SHAPE) for name in NAMES}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of every format."""
    folder = tmp_path_factory.mktemp("whole")
    worm = make_worm(folder)
    add_subject(worm)
    (folder / "zephir").mkdir()
    for format, name in NAMES.items():
        if format not in FOREIGN:
            export_file(worm, folder / name, format)
    write_authors(folder)
    rows = np.zeros((1, 1), [("stackIdx", object), ("rawPoints", object), ("trackIdx", object)])
    rows[0, 0] = (1, np.array([[6.0, 3, 2], [6, 11, 2]]), np.array([[4.0], [2]]))
    savemat(folder / NAMES["nerve"], {"pointStats": rows})
    (folder / NAMES["table"]).write_text("frame,x_px,y_px,z_px,id\n0,6,3,2,4\n1,6,11,2,4\n1,6,3,1,2\n")
    return folder


def write_authors(folder: Path) -> None:
    """One file or folder in each layout of the paper's authors."""
    cells = np.empty((2, 3), object)
    for place in np.ndindex(2, 3):
        box = np.zeros((1, 2), [("idx", object), ("Position", object)])
        box[0, 0] = (np.array([[7.0]]), np.array([[11.0, 21, 8, 6]]))
        box[0, 1] = (np.zeros((0, 0)), np.array([[100.0, 100, 5, 5]]))
        cells[place] = box
    savemat(folder / NAMES["authors-boxes"], {"neuron_boxes": cells}, do_compression=True)
    (folder / NAMES["authors-results"]).mkdir()
    (folder / NAMES["authors-heads"]).mkdir()
    points = {"mass_of_center": [50, 40], "anterior_y": [90, 40], "posterior_y": [10, 40]}
    points |= {"ventral_x": [50, 70], "dorsal_x": [50, 10]}
    shapes = [{"label": "head", "points": [[10, 10], [90, 10], [90, 70], [10, 70]]}]
    shapes += [{"label": label, "points": [point]} for label, point in points.items()]
    for number in (1, 2):
        boxes = {"1": [[610, 519, 620, 529, 1], [610, 519, 620, 529, 2]], "21": [[1, 1, 5, 5, 2]]}
        (folder / NAMES["authors-results"] / f"00{number}.json").write_text(json.dumps(boxes))
        (folder / NAMES["authors-heads"] / f"00{number}.json").write_text(json.dumps({"shapes": shapes}))
    bench = {f"ImgStk_00{number}": {"5": [[3, 10, 20, 19, 29, 1]]} for number in (0, 1)}
    (folder / NAMES["authors-benchmark"]).write_text(json.dumps(bench))
    array = np.full((2, 3, 6), np.nan, np.float32)
    array[:, 0] = (50, 60, 20, 9, 11, 15)
    np.save(folder / NAMES["authors-rois"], array)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run folder for each format, in which nothing has been said."""
    folder = tmp_path_factory.mktemp("target")
    for name, shape in SHAPES.items():
        create_run(folder / name, {"recording": {"voxel_um": list(VOXEL), "rate_hz": 5.0, "shape": list(shape)}})
    return folder


def try_damaged(source: Path, format: str, targets: Path, copy: Path, seed: int) -> bool:
    """Whether a damaged copy was imported; refused ones must leave nothing behind."""
    target = targets / format
    shutil.copytree(source, copy) if source.is_dir() else shutil.copy(source, copy)
    damage_file(copy, np.random.default_rng([seed, *format.encode()]))
    try:
        with patience():
            import_file(target, copy, "ana", format)
    except CenderError:
        assert not (target / "annotations.sqlite").exists()
        return False
    finally:
        shutil.rmtree(copy) if copy.is_dir() else copy.unlink()
    (target / "annotations.sqlite").unlink()
    return True


def test_every_format_is_tried() -> None:
    assert set(NAMES) == {one.name for one in EXCHANGE_FORMATS if one.load}


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs an alarm")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", NAMES)
def test_damaged(whole: Path, target: Path, tmp_path: Path, format: str) -> None:
    refused = [not try_damaged(whole / NAMES[format], format, target, tmp_path / "copy", seed) for seed in range(8)]
    assert any(refused)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs an alarm")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", NAMES)
def test_damaged_more(whole: Path, target: Path, tmp_path: Path, format: str) -> None:
    for seed in range(1000, 1200):
        try_damaged(whole / NAMES[format], format, target, tmp_path / "copy", seed)


@pytest.mark.parametrize("format", NAMES)
def test_whole_files_are_imported(whole: Path, target: Path, format: str) -> None:
    moved = import_file(target / format, whole / NAMES[format], "ana", format)
    assert moved.volumes > 0
    (target / format / "annotations.sqlite").unlink()


@pytest.mark.parametrize("format", NAMES)
def test_empty_and_foreign_files(target: Path, tmp_path: Path, format: str) -> None:
    target = target / format
    for content in (b"", b"\x89PNG\r\n\x1a\n" + bytes(200), b"[1, 2"):
        path = tmp_path / "file"
        path.write_bytes(content)
        with pytest.raises(CenderError):
            import_file(target, path, "ana", format)
    with pytest.raises(CenderError, match="is not there"):
        import_file(target, tmp_path / "nothing", "ana", format)
    assert not (target / "annotations.sqlite").exists()
