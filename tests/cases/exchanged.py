"""A run folder with all that can be exchanged: neurons, identities, names, heads, traces, and a recording on disk."""

from pathlib import Path

import numpy as np
import polars as pl

from cases.recorded import VOXEL, make_outcome, save_numbers
from cender.annotate.edits import NameIdentity
from cender.io import create_run, save_outcomes
from cender.io.exchange.nwb.subject import EXAMPLE
from cender.io.results.annotations.log import EditLog

VOLUMES = 4
SHAPE = (3, 24, 20)
SUBJECT = EXAMPLE.replace("\n[subject.red]", 'age = "P3D"\nfood = "OP50"\n\n[subject.red]')


def make_worm(folder: Path, recorded: int = VOLUMES) -> Path:
    """Volumes of three neurons; the third is recognized in odd volumes only, the first is called AVAL.

    Of a recording that is longer, only the first volumes were run.
    """
    source = save_numbers(folder / "worm.h5", recorded, SHAPE)
    facts = {"source": str(source), "sources": [str(source)], "voxel_um": list(VOXEL), "rate_hz": 5.0}
    run = create_run(
        folder / "worm", {"recording": {**facts, "shape": [recorded, 2, *SHAPE], "roles": ["red", "green"]}}
    )
    save_outcomes(run, [make_outcome(volume) for volume in range(VOLUMES)], VOXEL)
    volumes = run.load_table("volumes").with_columns(time_s=(pl.col("volume") + 0.5) / 5)
    run.save_table("volumes", volumes)
    unknown = (pl.col("neuron") == 2) & (pl.col("volume") % 2 == 0)
    neurons = run.load_table("neurons").with_columns(
        identity=pl.when(unknown).then(-1).otherwise(pl.col("neuron") + 5).cast(pl.Int64),
        probability=0.5 + 0.1 * pl.col("neuron"),
    )
    run.save_table("neurons", neurons)
    run.save_table("traces", make_traces())
    with EditLog(run.path) as log:
        log.append("ana", NameIdentity(identity=5, name="AVAL"))
    return run.path


def make_traces() -> pl.DataFrame:
    """Traces of the three identities; the third is not valid in even volumes."""
    rows = [(identity, volume) for identity in (5, 6, 7) for volume in range(VOLUMES)]
    valid = [identity != 7 or volume % 2 == 1 for identity, volume in rows]
    ratio = [1.0 + 0.1 * volume + identity if ok else None for (identity, volume), ok in zip(rows, valid, strict=True)]
    return pl.DataFrame(
        {
            "identity": [identity for identity, _ in rows],
            "volume": [volume for _, volume in rows],
            "time_s": [(volume + 0.5) / 5 for _, volume in rows],
            "red": [100.0] * len(rows),
            "green": [50.0 + volume for _, volume in rows],
            "ratio": ratio,
            "dr_r0": [None if one is None else one - 1 for one in ratio],
            "probability": [0.9] * len(rows),
            "valid": valid,
            "name": ["AVAL" if identity == 5 else None for identity, _ in rows],
        },
        schema_overrides={"ratio": pl.Float64, "dr_r0": pl.Float64, "name": pl.String},
    )


def add_subject(worm: Path) -> None:
    """Fill in what no recording says."""
    path = worm / "run.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("[subject]")] + SUBJECT, encoding="utf-8")


def list_places(worm: Path) -> dict[int, list[tuple[float, ...]]]:
    """Centres and identities of the neurons of a run, as the tables of the machine have them."""
    table = pl.read_parquet(worm / "neurons.parquet")
    found: dict[int, list[tuple[float, ...]]] = {}
    for row in table.iter_rows(named=True):
        cells = (row["z_um"], row["y_um"], row["x_um"], row["identity"])
        found.setdefault(row["volume"], []).append(tuple(np.round(cells, 6).tolist()))
    return found
