"""Named animals from tables."""

from pathlib import Path

import numpy as np
import pytest

from cender.errors import DataError
from cender.io.cells import load_cells


def test_animals_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(
        "worm,lab,x_um,y_um,z_um,name,colour0,colour1\na,L,1,2,3,AVAL,5,\na,L,2,3,4,,6,7\nb,L,3,4,5,RIS,7,8\n"
    )
    first, second = load_cells([path])
    assert (first.animal, second.animal, first.lab) == ("a", "b", "L")
    assert first.name == ("AVAL", "")
    assert first.position_um.tolist() == [[3, 2, 1], [4, 3, 2]]
    assert np.isnan(first.colour[0, 1])
    assert len(load_cells([tmp_path])) == 2, "a truth folder's points"


@pytest.mark.parametrize(
    ("text", "words"),
    [("x_um,y_um\n1,2\n", "z_um not found"), ("x_um,y_um,z_um\n1,2,\n", "gaps"), ("x_um,y_um,z_um\n1,2,abc\n", "gaps")],
)
def test_bad_tables_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=words):
        load_cells([path])


def test_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_cells([tmp_path / "none.csv"])
