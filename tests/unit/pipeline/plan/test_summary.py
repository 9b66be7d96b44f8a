"""What a run came to, in a few lines."""

import polars as pl

from cender.pipeline.plan.summary import Told, summarize_run


def test_volumes_with_one_kind_of_reason_are_one_line_whatever_their_words() -> None:
    rows = [
        (0, "ok", "", ""),
        (1, "failed", "found 3 bright spots", "no head"),
        (2, "failed", "frame 7 cannot be read", "unreadable"),
        (3, "failed", "nowhere do spots crowd", "no head"),
        (4, "flagged", "as earlier versions wrote it", None),
    ]
    volumes = pl.DataFrame(rows, ["volume", "status", "reason", "flags"], orient="row")
    neurons = pl.LazyFrame({"volume": [0, 0], "identity": [4, -1]})
    summary = summarize_run(volumes, neurons, (), Told(doubts=("the scale is doubtful",)), 1.0)
    assert summary.advice == (
        "the scale is doubtful",
        "2 failed (volumes 1, 3): found 3 bright spots",
        "1 failed (volumes 2): frame 7 cannot be read",
        "1 flagged (volumes 4): as earlier versions wrote it",
    )
    assert (summary.failed, summary.identities, summary.identified_share) == (3, 1, 0.5)
    bare = summarize_run(volumes.drop("flags"), neurons, (), Told(), 1.0)
    assert len(bare.advice) == 4, "without flags every reason is a kind of its own"
