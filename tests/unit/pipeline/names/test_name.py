"""Names of a run folder: written beside its tables, people's kept, handedness remembered."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from cases.runs import build_run
from cender.cli.app import app
from cender.config import load_config
from cender.errors import DataError
from cender.name import Naming
from cender.name.atlas import Similarity
from cender.name.naming import Sight
from cender.pipeline.names.name import name_run, tabulate_names


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


def test_both_cells_of_a_pair_are_one_candidate_where_the_side_is_unknown() -> None:
    chances = np.log([[0.4, 0.35, 0.25]])
    sight = Sight(Similarity(1.0, np.eye(3), np.zeros(3)), np.zeros((1, 3)), chances, 0.0, False)
    naming = Naming(("AVAL", "AVAR", "RIS"), np.array([0]), np.array([0.4]), chances, False, 0.6, sight, ())
    unsure = tabulate_names(naming, [7], {}, 0.3).row(0, named=True)
    assert (unsure["name"], unsure["name1"], unsure["name2"]) == ("AVAL/R", "AVAL/R", "RIS")
    assert unsure["probability"] == pytest.approx(0.75)
    sure = tabulate_names(replace(naming, side_probability=0.99), [7], {}, 0.3).row(0, named=True)
    assert (sure["name"], sure["name2"], sure["probability"]) == ("AVAL", "AVAR", pytest.approx(0.4))
