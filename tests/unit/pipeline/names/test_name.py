"""Names of a run folder: written beside its tables, people's kept, handedness remembered."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from cases.runs import build_run
from cender.cli.app import app
from cender.config import load_config
from cender.errors import DataError
from cender.pipeline.names.name import name_run


@pytest.fixture(scope="module")
def worm(tmp_path_factory) -> Path:
    return build_run(tmp_path_factory.mktemp("named"), write_recording=False).path


def test_every_identity_has_its_row_and_people_win(worm: Path) -> None:
    mine = int(pl.read_parquet(worm / "neurons.parquet").filter(pl.col("probability") > 0.9)["identity"].max())
    (worm / "identities.csv").write_text(f"identity,name,note\n{mine},AVAL,mine\n")
    config = load_config(sets=["name.handedness=direct", "name.volumes=2"])
    result = name_run(worm, config)
    table = pl.read_csv(worm / "names.csv")
    known = pl.read_parquet(worm / "neurons.parquet").filter((pl.col("identity") >= 0) & (pl.col("probability") >= 0.5))
    assert sorted(table["identity"]) == sorted(known["identity"].unique())
    given = table.filter(pl.col("name").is_not_null() & (pl.col("name") != ""))
    assert given["name"].is_unique().all()
    person = table.filter(pl.col("identity") == mine).row(0, named=True)
    assert (person["name"], person["source"], person["probability"]) == ("AVAL", "human", None)
    assert "AVAL" not in given.filter(pl.col("source") == "machine")["name"].to_list()
    assert result.side_probability == 1
    assert 'handedness = "direct"' in (worm / "run.toml").read_text()


def test_command_prints_names_and_doubts(worm: Path) -> None:
    (worm / "identities.csv").unlink(missing_ok=True)
    runner = CliRunner()
    answer = runner.invoke(app, ["name", str(worm), "--json", "--set", "name.volumes=1"])
    assert answer.exit_code == 0, answer.output
    said = json.loads(answer.stdout)
    assert {"identity", "name", "probability", "source"} <= set(said["names"][0])
    assert any("no colours" in doubt for doubt in said["doubts"])


def test_colours_without_columns_are_refused(worm: Path, tmp_path: Path) -> None:
    path = tmp_path / "stack.csv"
    path.write_text("z_um,y_um,x_um\n1,2,3\n")
    with pytest.raises(DataError, match="found no colours"):
        name_run(worm, load_config(), colours=path)
