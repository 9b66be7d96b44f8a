"""Truth folders: ``truth.toml`` and the tables beside it."""

from pathlib import Path

from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings
from cender.io.results.truth.folder import load_truth, save_truth


def load_folder(path: Path, around: Surroundings) -> Incoming:
    """All that the folder holds; also what ``cender simulate`` made."""
    inner = path / "truth"
    return Incoming(load_truth(inner if (inner / "truth.toml").is_file() else path, around.voxel_um))


TRUTH = ExchangeFormat(
    name="truth",
    title="a truth folder: truth.toml with regions.csv, points.csv, heads.csv, traces.csv",
    keeps=("centres", "boxes", "identities", "names", "heads", "times", "ratios", "which volumes are complete"),
    recognize=lambda path: path.name == "truth.toml" or path.is_dir() or not path.suffix,
    load=load_folder,
    save=lambda out, path: save_truth(out.known, path),
)
