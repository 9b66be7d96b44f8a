"""Outcomes become the tables of a run folder."""

from pathlib import Path

import numpy as np

from cases.outcomes import make_run


def test_outcomes_become_tables_in_the_order_of_volumes(tmp_path: Path) -> None:
    run = make_run(tmp_path / "worm")
    volumes = run.load_table("volumes")
    assert volumes["volume"].to_list() == [1, 3, 4]
    assert volumes["status"].to_list() == ["ok", "flagged", "failed"]
    assert volumes["reason"].to_list() == ["", "a twist", "too dark"]
    assert volumes["crop_w"].to_list() == [30, 30, None]
    neurons = run.load_table("neurons")
    assert neurons.select("volume", "neuron").rows() == [(1, 0), (1, 1), (3, 0), (3, 1)]
    assert neurons["identity"].to_list() == [-1, 7, -1, -1]
    assert neurons["red"].null_count() == len(neurons)
    np.testing.assert_allclose(neurons.select("z_um", "y_um", "x_um").row(1), [0.75, 0.9, 0.6])
    assert run.load_table("timings").rows() == [(3, "head", 2.0), (3, "regions", 3.0), (4, "head", 1.0)]
    assert run.load_table("regions")["source"].unique().to_list() == ["machine"]
