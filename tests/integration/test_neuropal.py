"""A real NeuroPAL head as a user has it: looked at, run, named by its colours, and compared with its people's names."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linear_sum_assignment
from typer.testing import CliRunner

from cender.cli.app import app

# One array per colour: the pan-neuronal red, then mNeptune2.5, CyOFP1 and mTagBFP2.
RECORDING = ["recording.dataset=volume,mn,c,b", "recording.axes=ZYX", "recording.roles=red,other,other,other"]
# The laboratory's microscope shows its animals mirrored, which the better lit of the two heads says itself.
NAMES = ["name.channels=1,2,3,0", "name.handedness=mirrored"]
NEAR_UM = 3.0


def cender(*words: str, sets: list[str]) -> str:
    done = CliRunner().invoke(app, [*words, *(part for one in sets for part in ("--set", one))])
    assert done.exit_code == 0, done.output
    return done.stdout + done.stderr


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 3])
def test_a_head_is_run_and_named_by_its_colours(real_data: Path, tmp_path: Path, number: int) -> None:
    """The shipped namer may have learnt from these heads: what is tested is the way there, not how good it is."""
    file, worm = real_data / f"neuropal_head_{number}.npz", tmp_path / "worm"
    assert "4 channels" in " ".join(cender("info", str(file), sets=RECORDING).split())
    said = cender("run", str(file), "--out", str(worm), sets=RECORDING)
    assert "1 volume (1 ok" in said
    assert "bleaching" not in said
    cender("name", str(worm), sets=NAMES)
    with np.load(file) as given:
        marked_um, names = given["points_zyx"] * given["voxel_um_zyx"], given["names"]
    neurons = pl.read_parquet(worm / "neurons.parquet")
    found_um = neurons.select("z_um", "y_um", "x_um").to_numpy()
    apart_um = np.linalg.norm(marked_um[:, None] - found_um[None], axis=2)
    marked, found = linear_sum_assignment(np.minimum(apart_um, 10 * NEAR_UM))
    near = apart_um[marked, found] < NEAR_UM
    assert near.mean() > 0.9, "marked neurons are found"
    told = dict(pl.read_csv(worm / "names.csv").select("identity", "name").iter_rows())
    pairs = [
        (names[one], told.get(neurons["identity"][int(other)]))
        for one, other in zip(marked[near], found[near], strict=True)
    ]
    judged = [(truth, name) for truth, name in pairs if truth and name]
    assert len(judged) > 40
    assert np.mean([truth == name for truth, name in judged]) > 0.85
