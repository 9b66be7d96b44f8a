"""What is odd about the view of one volume reaches its outcome, and the table of volumes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cases.recorded import VOXEL, make_outcome
from cender.io import create_run, save_outcomes
from cender.merge.params import MergeParams
from cender.pipeline.volumes import volume as volume_module
from cender.pipeline.volumes.flags import find_flags
from cender.pipeline.volumes.volume import process_volume
from cender.preprocess import PreprocessParams
from cender.types import Outcome, Volume
from cender.types.head import HeadDoubt

TWO, PART = "two animals are in view", "only a part of the head is in view"


@pytest.mark.parametrize(
    ("doubts", "quality", "flags", "words"),
    [
        ((), 1.0, (), ()),
        (("two animals",), 1.0, ("two animals",), (TWO,)),
        (("part of a head",), 1.0, ("part of a head",), (PART,)),
        (("two animals",), 0.1, ("two animals", "unsure axes"), (TWO, "axes are unsure (quality 0.10)")),
    ],
)
def test_doubts_of_the_head_reach_the_table(
    doubts: tuple[HeadDoubt, ...],
    quality: float,
    flags: tuple[str, ...],
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome = process(make_outcome(4), doubts, quality, monkeypatch)
    assert outcome.head is not None
    assert outcome.flags == find_flags(outcome.head, PreprocessParams().flag_below) == flags
    assert outcome.status == ("flagged" if flags else "ok")
    run = create_run(tmp_path / "worm", {"recording": {"voxel_um": list(VOXEL), "rate_hz": 5.0}})
    save_outcomes(run, [outcome], VOXEL)
    (row,) = run.load_table("volumes").iter_rows(named=True)
    assert row["status"] == outcome.status
    assert (row["flags"] or "") == ", ".join(flags)
    assert bool(row["reason"]) == bool(flags)
    assert all(word in row["reason"] for word in words)


def process(made: Outcome, doubts: tuple[HeadDoubt, ...], quality: float, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """A volume in which a head with these doubts is found, and some neurons."""
    assert made.head is not None
    head = replace(made.head, doubts=doubts, quality=quality)
    monkeypatch.setattr(volume_module, "find_head", lambda *words: head)
    monkeypatch.setattr(volume_module, "merge_regions", lambda *words: made.neurons)
    volume = Volume(made.volume, 0.8, np.ones((1, 3, 8, 8), np.uint16), VOXEL, ("red",))
    return process_volume(volume, lambda *words: None, lambda *words: None, PreprocessParams(), MergeParams())
