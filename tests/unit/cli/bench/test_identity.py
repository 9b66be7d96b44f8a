"""``cender bench identity`` from the command line, with a learner that takes no time."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cases.recognition import learn_nearest, make_truth
from cender.bench.identity import plan as identity_plan
from cender.cli.app import app
from cender.errors import ConfigError, DataError
from cender.io import save_truth
from cender.types import Annotation

SMALL = ["--set", "simulate.shape=[6, 96, 96]", "--set", "simulate.voxel_um=[3.0, 1.5, 1.5]"]


@pytest.fixture(autouse=True)
def _learn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity_plan, "make_learner", lambda *_: learn_nearest)
    monkeypatch.setattr(
        identity_plan,
        "make_across_learner",
        lambda *_: lambda annotated, template, recording, seed: learn_nearest([template], recording, seed),
    )


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("points") / "truth"
    save_truth(make_truth(drift=0.2), folder)
    return folder


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["bench", "identity", *words], catch_exceptions=False, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_one_measurement_is_at_the_top(points: Path) -> None:
    shown = json.loads(run(str(points), "--train", "2", "--split", "blocked", "--repeats", "2", "--json"))
    assert 0 < shown["identity"]["accuracy"] < 1
    assert {"worst_5pct", "recall_at_95_strict", "calibration_error", "train_s", "ms_per_volume"} < set(
        shown["identity"]
    )
    assert (shown["method"], shown["train"], shown["split"], shown["seed"]) == ("default", 2, "blocked", 0)
    assert len(shown["repeats"]) == 2
    assert shown["data"] == str(points)
    assert shown["version"]
    assert shown["published"]


def test_several_at_once_share_their_draws(points: Path) -> None:
    words = ["--train", "0", "--train", "3", "--method", "default", "--method", "paper", "--split", "random"]
    shown = json.loads(run(str(points), *words, "--split", "blocked", "--repeats", "1", "--json"))
    done = [(one["method"], one["split"], one["train"]) for one in shown["results"]]
    assert done == [
        (method, split, train)
        for method in ("default", "paper")
        for split, train in (("none", 0), ("random", 3), ("blocked", 3))
    ]
    draws = {(one["method"], one["split"]): one["repeats"][0]["train_volumes"] for one in shown["results"]}
    assert draws["default", "random"] == draws["paper", "random"] != draws["paper", "blocked"]


def test_table_and_published_figures(points: Path) -> None:
    text = run(str(points), "--train", "1", "--repeats", "2")
    assert "±" in text
    assert "88.25 %" in text


def test_corrupted_points_are_drawn_beside_milder_ones(points: Path, tmp_path: Path) -> None:
    words = ["--train", "1", "--repeats", "1", "--jitter", "4", "--pictures", str(tmp_path), "--json"]
    shown = json.loads(run(str(points), *words))
    assert Path(shown["pictures"][-1]).name == "identity-corruption.png"
    assert (tmp_path / "identity-corruption.png").stat().st_size > 0
    levels = [level["results"][0]["identity"]["accuracy"] for level in shown["levels"]]
    assert levels[0] > levels[1] > levels[2] == shown["identity"]["accuracy"]
    assert [level["corruption"].split(", ")[-1] for level in shown["levels"]] == [
        f"{um} µm jitter" for um in ("0", "2", "4")
    ]


def test_pictures(points: Path, tmp_path: Path) -> None:
    shown = json.loads(run(str(points), "--train", "1", "--repeats", "1", "--pictures", str(tmp_path), "--json"))
    assert [Path(path).name for path in shown["pictures"]] == [
        "identity-volumes.png",
        "identity-time.png",
        "identity-reliability.png",
    ]
    assert all(Path(path).is_file() for path in shown["pictures"])


def test_simulated_animals() -> None:
    words = ["--train", "2", "--split", "random", "--split", "animals", "--repeats", "2", "--json"]
    shown = json.loads(run("easy", *words, *SMALL, "--set", "simulate.volumes=4"))
    within, across = shown["results"]
    assert "simulated easy" in within["data"]
    assert within["preset_hash"]
    assert across["split"] == "animals"
    assert [one["test_volumes"] for one in within["repeats"]] == [2, 2]
    assert [one["test_volumes"] for one in across["repeats"]] == [3, 3]


def test_images_of_simulated_animals(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def open_subjects(points, config, repeats, seed=0, rate_hz=None, *, images=False):
        asked.append(images)
        from cender.bench.identity.data import make_subject

        return [make_subject(make_truth())] * repeats

    monkeypatch.setattr(identity_plan, "open_subjects", open_subjects)
    run("typical", "--train", "1", "--repeats", "1", "--images", "--json")
    assert asked == [True]


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        (["--split", "sorted"], ConfigError, "blocked, animals or template"),
        (["--method", "best"], ConfigError, "default or paper"),
        (["--split", "animals"], ConfigError, "preset"),
        (["--images"], ConfigError, "preset"),
        (["--train", "500"], DataError, "only 60"),
    ],
)
def test_mistakes_are_named(points: Path, words: list[str], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        run(str(points), "--train", "1", "--repeats", "1", *words)


def test_points_without_identities_are_refused(tmp_path: Path) -> None:
    truth = make_truth(volumes=3)
    for volume, one in list(truth.annotations.items()):
        truth.annotations[volume] = Annotation.from_points(volume, one.centre_um)
    save_truth(truth, tmp_path / "truth")
    with pytest.raises(DataError, match="no volume has an identity"):
        run(str(tmp_path / "truth"), "--train", "1")
