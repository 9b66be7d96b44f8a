"""Doubted names in the queue: there until a person changes the name."""

from pathlib import Path

import pytest

from cases.runs import build_run
from cender.errors import DataError
from cender.io.results.folder.suspects import Suspect, load_suspects, save_suspects
from cender.web.desk import Desk
from cender.web.suspects import list_suspects

DOUBTED = Suspect(3, 2, "AVAL", "AVAR", 0.91, "left and right seem exchanged between AVAL and AVAR")


@pytest.fixture(scope="module")
def worm(tmp_path_factory) -> Path:
    return build_run(tmp_path_factory.mktemp("doubted"), write_recording=False, volumes=4).path


def test_a_doubted_name_is_a_question_until_it_is_changed(worm: Path) -> None:
    (worm / "identities.csv").write_text("identity,name,note\n3,AVAL,\n")
    desk = Desk.open(worm)
    assert list_suspects(desk) == []
    save_suspects(worm, [DOUBTED])
    (question,) = list_suspects(desk)
    assert (question["identity"], question["volume"]) == (3, 2)
    assert "called AVAL" in question["reason"]
    assert "exchanged" in question["reason"]
    (worm / "identities.csv").write_text("identity,name,note\n3,AVAR,\n")
    assert list_suspects(desk) == []


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    save_suspects(tmp_path, [DOUBTED])
    assert load_suspects(tmp_path) == [DOUBTED]
    (tmp_path / "suspects.json").write_text("[{")
    with pytest.raises(DataError, match="is damaged"):
        load_suspects(tmp_path)
