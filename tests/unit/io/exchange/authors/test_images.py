"""Images of the authors: found for their labels, read with what was drawn in them, refused where both differ."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from cases.authors import NAME, save_labels
from cender.errors import DataError
from cender.io import load_truth
from cender.io.exchange.authors.download import prepare_authors
from cender.io.exchange.authors.images import Picture, find_pictures, load_pictures

SHAPE = (40, 60, 3)


def save_image(path: Path, volumes: int, shape: tuple[int, int, int] = SHAPE) -> Path:
    """A cell column of H×W×Z volumes; the pixels of each are its number."""
    cells = np.empty((volumes, 1), object)
    for volume in range(volumes):
        cells[volume, 0] = np.full(shape, volume, np.uint16)
    savemat(path, {"image_stack": cells})
    return path


@pytest.fixture
def download(tmp_path: Path) -> Path:
    """Two labelled stacks of C1, of which only the second has an image, and one of C2 with an image."""
    same = {(0, 0): [(3, 11, 21, 8, 6)], (1, 1): [(3, 12, 21, 8, 6)]}
    for name in (NAME, NAME.replace("Stk001", "Stk002"), NAME.replace("w6", "w2")):
        save_labels(tmp_path / f"PR_{name}.mat", same)
    second = NAME.replace("Stk001", "Stk002")
    save_image(tmp_path / f"{second}_{{red_from1to40}}.mat", 2)
    save_image(tmp_path / f"{second}_{{green_from1to40}}.mat", 2)
    save_image(tmp_path / f"{NAME.replace('w6', 'w2')}.mat", 3)
    return tmp_path


def test_every_labelled_volume_finds_its_image(download: Path) -> None:
    found = find_pictures(download)
    assert {name: [(one.number, one.index) for one in some] for name, some in found.items()} == {
        "C1": [(2, 0), (3, 1)],
        "C2": [(0, 0), (1, 1)],
    }, "the first stack of C1 has no image, but its volumes are counted"
    assert all("red" in one.path.name for one in found["C1"])
    prepare_authors(download)
    truth = load_truth(download / "C1").annotations
    read = list(load_pictures(found["C1"], truth))
    assert [(volume.index, int(volume.data.max()), known.volume) for volume, known in read] == [(2, 0, 2), (3, 1, 3)]
    volume = read[0][0]
    assert (volume.data.shape, volume.voxel_um, volume.roles) == ((1, 3, 40, 60), (1.5, 0.3, 0.3), ("red",))


def test_labels_without_images_find_none(tmp_path: Path) -> None:
    save_labels(tmp_path / f"PR_{NAME}.mat", {(0, 0): [(3, 11, 21, 8, 6)]})
    assert find_pictures(tmp_path) == {}


@pytest.mark.parametrize(("volumes", "shape"), [(1, SHAPE), (2, (40, 60, 2))])
def test_an_image_smaller_than_its_labels_is_refused(tmp_path: Path, volumes: int, shape: tuple[int, int, int]) -> None:
    save_labels(tmp_path / f"PR_{NAME}.mat", {(0, 0): [(3, 11, 21, 8, 6)]})
    save_image(tmp_path / f"{NAME}.mat", volumes, shape)
    with pytest.raises(DataError, match=r"expected 2 volumes of 3 frames as in its labels .*, found \d of \d"):
        find_pictures(tmp_path)


def test_two_images_of_one_stack_are_refused(tmp_path: Path) -> None:
    save_labels(tmp_path / f"PR_{NAME}.mat", {(0, 0): [(3, 11, 21, 8, 6)]})
    save_image(tmp_path / f"{NAME}.mat", 2)
    save_image(tmp_path / f"{NAME}_copy.mat", 2)
    with pytest.raises(DataError, match="its image may be"):
        find_pictures(tmp_path)


def test_boxes_outside_of_the_image_are_refused(tmp_path: Path) -> None:
    save_labels(tmp_path / f"PR_{NAME}.mat", {(0, 0): [(3, 55, 21, 8, 6)]})
    image = save_image(tmp_path / f"{NAME}.mat", 2)
    prepare_authors(tmp_path)
    truth = load_truth(tmp_path / "C1").annotations
    with pytest.raises(DataError, match=r"boxes inside of its 60 × 40 pixels, found \[54.0, 20.0, 9.0, 7.0\]"):
        list(load_pictures([Picture(0, image, 0)], truth))


def test_a_file_of_another_layout_is_no_image_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save_labels(tmp_path / f"PR_{NAME}.mat", {(0, 0): [(3, 11, 21, 8, 6)]})
    savemat(tmp_path / f"{NAME}_positions.mat", {"positions": np.zeros((3, 3))})
    assert find_pictures(tmp_path) == {}
    assert "no variable whose name begins with img" in caplog.text
    assert "PR_" not in caplog.text, "labels are no images, and nothing is wrong with that"
