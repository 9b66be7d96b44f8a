"""``cender bench figures`` from the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cender.bench.paper.figures import draw
from cender.cli.app import app


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    calls: list[tuple] = []

    def draw_figures(folder, config, wish, on_figure, lanes):
        assert lanes >= 1
        calls.append((folder, config.simulate.volumes, wish))
        on_figure("4")
        return {"4": folder / "figure-4.png"}

    monkeypatch.setattr(draw, "draw_figures", draw_figures)
    return calls


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["bench", "figures", *words], catch_exceptions=False, env={"CENDER_DATA": None})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_figures_are_named_with_their_files(asked: list[tuple], tmp_path: Path) -> None:
    text = run(str(tmp_path), "--only", "4", "--only", "S2", "--full")
    assert "Fig 4: 3D merging" in text
    (folder, volumes, wish) = asked[0]
    assert (folder, volumes, wish.only, wish.full, wish.data) == (tmp_path, 200, ["4", "S2"], True, None)


def test_json_names_the_files(asked: list[tuple], tmp_path: Path) -> None:
    shown = json.loads(run(str(tmp_path), "--json"))
    assert shown["figures"] == {"4": str(tmp_path / "figure-4.png")}
    assert {"version", "machine"} <= set(shown)
