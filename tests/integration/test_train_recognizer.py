"""``cender train recognizer`` from folders to weights."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from cases.constellations import film_head, make_head, measure_accuracy
from cender.cli.app import app
from cender.config import Config
from cender.errors import CenderError, DataError
from cender.io import load_weights, save_truth
from cender.pipeline.learn.lessons import collect_lessons
from cender.pipeline.recording.recognizer.identify import build_recognizer
from cender.pipeline.recording.recognizer.weights import KIND, load_recognizer
from cender.training.recognizer import fitting
from cender.training.recognizer.clouds import Cloud
from cender.training.recognizer.fitting import Pace
from cender.types import Annotation, Annotations

QUICK = {"steps": 8, "self_steps": 4, "self_rounds": 1, "warped": 2, "threads": 1}
FILM = film_head(make_head(40), 8)


def save_folder(path: Path, volumes: list[Annotation], annotated: int) -> Path:
    """A truth folder in which only the first volumes have identities."""
    known = [one if row < annotated else replace(one, identity=one.identity * 0 - 1) for row, one in enumerate(volumes)]
    save_truth(Annotations("made up", None, 5.0, {one.volume: one for one in known}), path)
    return path


def invoke(*words: object, sets: tuple[str, ...] = ()) -> Result:
    chosen = [*(f"train_recognizer.{name}={value}" for name, value in QUICK.items()), *sets]
    given = [word for setting in chosen for word in ("--set", setting)]
    return CliRunner().invoke(app, ["train", "recognizer", *map(str, words), *given])


def train(*words: object, sets: tuple[str, ...] = ()) -> str:
    result = invoke(*words, sets=sets)
    if isinstance(result.exception, CenderError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_a_folder_gives_a_recognizer_that_works(tmp_path: Path) -> None:
    folder = save_folder(tmp_path / "worm", FILM, 3)
    told = train(folder)
    path = folder / "models" / "recognizer.safetensors"
    assert str(path) in told.replace("\n", "")
    assert path.with_suffix(".png").stat().st_size > 0
    assert not path.with_suffix(".checkpoint").exists()
    answers = build_recognizer(load_recognizer(path), Config())(FILM[3:])
    assert measure_accuracy(answers, FILM[3:]) > 0.8


def test_training_that_was_interrupted_goes_on_and_ends_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cender.training.journal.EVERY", 3)
    whole, broken = (save_folder(tmp_path / name, FILM, 3) for name in ("whole", "broken"))
    train(whole)
    taken: list[float] = []
    vary = fitting.vary_cloud

    def vary_and_stop(*words: object) -> Cloud:
        # In the middle of the fifth step, as if Ctrl-C were pressed.
        taken.append(0)
        if len(taken) == 4 * Pace().batch + 2:
            raise KeyboardInterrupt
        return vary(*words)

    monkeypatch.setattr(fitting, "vary_cloud", vary_and_stop)
    stopped = invoke(broken)
    assert stopped.exit_code == 130
    assert "the same command goes on from there" in stopped.output
    weights = broken / "models" / "recognizer.safetensors"
    assert weights.with_suffix(".checkpoint").exists()
    assert not weights.exists(), "what is half learnt is not for use"
    before = len(taken)
    train(broken)
    left = QUICK["steps"] + QUICK["self_steps"] - 3
    assert len(taken) - before == left * Pace().batch, "three steps were kept and are not taken again"
    assert not weights.with_suffix(".checkpoint").exists()
    first, second = (load_weights(one / "models" / "recognizer.safetensors", KIND).arrays for one in (whole, broken))
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])


def test_an_interruption_before_anything_was_kept_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*words: object) -> Cloud:
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "vary_cloud", stop)
    stopped = invoke(save_folder(tmp_path / "worm", FILM, 1))
    assert stopped.exit_code == 130
    assert "too early" in stopped.output


def test_several_folders_need_a_place_and_share_their_numbers(tmp_path: Path) -> None:
    one, two = (save_folder(tmp_path / name, FILM, 2) for name in "ab")
    with pytest.raises(DataError, match="--out"):
        train(one, two)
    out = tmp_path / "both.safetensors"
    train(one, two, "--out", out)
    lessons = collect_lessons([one, two])
    numbers = [volume.volume for volume in (*lessons.annotated, *lessons.recording)]
    assert len(set(numbers)) == len(numbers) == 16
    known = np.unique(np.concatenate([volume.identity for volume in FILM[:2]]))
    assert set(load_weights(out, KIND).arrays["identities"].tolist()) == set(known[known >= 0].tolist())


def test_the_papers_recognizer_is_trained_too(tmp_path: Path) -> None:
    folder = save_folder(tmp_path / "worm", FILM, 3)
    train(folder, sets=("recognize.method=paper", "recognize.paper.epochs=2"))
    path = folder / "models" / "recognizer.safetensors"
    assert load_recognizer(path).metadata["kind"] == "paper recognizer"
    assert path.with_suffix(".png").is_file()


def test_a_folder_without_identities_is_refused(tmp_path: Path) -> None:
    folder = save_folder(tmp_path / "worm", FILM, 0)
    with pytest.raises(DataError, match="found none in 8 volumes"):
        train(folder)
