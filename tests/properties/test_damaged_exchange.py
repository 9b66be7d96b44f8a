"""Damaged files of every format that is imported: annotations, or an error of ours and nothing imported at all."""

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
    "regions": "regions.csv",
    "points": "points.csv",
    "truth": "truth",
}
# The authors' files have tests of their own, with damaged ones among them.
OWN = {"authors-boxes", "authors-results", "authors-rois", "authors-benchmark", "authors-heads"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of every format."""
    folder = tmp_path_factory.mktemp("whole")
    worm = make_worm(folder)
    add_subject(worm)
    (folder / "zephir").mkdir()
    for format, name in NAMES.items():
        if format != "nerve":
            export_file(worm, folder / name, format)
    rows = np.zeros((1, 1), [("stackIdx", object), ("rawPoints", object), ("trackIdx", object)])
    rows[0, 0] = (1, np.array([[6.0, 3, 2], [6, 11, 2]]), np.array([[4.0], [2]]))
    savemat(folder / NAMES["nerve"], {"pointStats": rows})
    return folder


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder in which nothing has been said."""
    facts = {"voxel_um": list(VOXEL), "rate_hz": 5.0, "shape": [VOLUMES, 2, *SHAPE]}
    return create_run(tmp_path_factory.mktemp("target") / "worm", {"recording": facts}).path


def try_damaged(source: Path, format: str, target: Path, copy: Path, seed: int) -> bool:
    """Whether a damaged copy was imported; refused ones must leave nothing behind."""
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
    assert set(NAMES) | OWN == {one.name for one in EXCHANGE_FORMATS if one.load}


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
def test_empty_and_foreign_files(target: Path, tmp_path: Path, format: str) -> None:
    for content in (b"", b"\x89PNG\r\n\x1a\n" + bytes(200), b"[1, 2"):
        path = tmp_path / "file"
        path.write_bytes(content)
        with pytest.raises(CenderError):
            import_file(target, path, "ana", format)
    with pytest.raises(CenderError, match="is not there"):
        import_file(target, tmp_path / "nothing", "ana", format)
    assert not (target / "annotations.sqlite").exists()
