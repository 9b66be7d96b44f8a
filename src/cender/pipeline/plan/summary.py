"""What a run came to, and what to look at next."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

_LISTED = 5


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts, what was computed and why, and advice."""

    volumes: int
    ok: int
    flagged: int
    failed: int
    identities: int
    neurons_median: float
    redone: tuple[str, ...]
    advice: tuple[str, ...]
    seconds: float


def summarize_run(
    volumes: pl.DataFrame, neurons: pl.LazyFrame, redone: tuple[str, ...], notes: tuple[str, ...], seconds: float
) -> Summary:
    """Counts and advice from the tables of a run."""
    status = Counter(volumes["status"].to_list())
    found: Any = (
        neurons.group_by("volume")
        .agg(
            pl.len().alias("count"),
            pl.col("probability").mean().alias("probability"),
            (pl.col("identity") >= 0).sum().alias("named"),
            (pl.col("source") == "human").any().alias("human"),
        )
        .sort("volume")
        .collect()
    )
    identities = neurons.filter(pl.col("identity") >= 0).select(pl.col("identity").n_unique()).collect().item()
    median = found["count"].median() if found.height else 0.0
    advice = (*notes, *_advise_volumes(volumes), *_advise_annotation(volumes, found))
    return Summary(
        volumes.height,
        status["ok"],
        status["flagged"],
        status["failed"],
        int(identities),
        float(median or 0.0),
        redone,
        advice,
        seconds,
    )


def _advise_volumes(volumes: pl.DataFrame) -> list[str]:
    """Reasons of flagged and failed volumes, the commonest first, with volumes to look at."""
    bad = volumes.filter(pl.col("status") != "ok").with_columns(
        pl.col("reason").str.replace_all(r"[0-9]+(\.[0-9]+)?", "…").alias("kind")
    )
    lines = []
    for rows in sorted(bad.partition_by("status", "kind", maintain_order=True), key=lambda rows: -rows.height)[
        :_LISTED
    ]:
        first = ", ".join(str(volume) for volume in rows["volume"].head(_LISTED))
        more = ", …" if rows.height > _LISTED else ""
        lines.append(f"{rows.height} {rows['status'][0]} (volumes {first}{more}): {rows['reason'][0]}")
    return lines


def _advise_annotation(volumes: pl.DataFrame, found: pl.DataFrame) -> list[str]:
    """Which volumes to annotate first, or next, and why."""
    begun = bool(found["human"].any())
    good = volumes.filter(pl.col("status") == "ok").join(found.filter(~pl.col("human")), on="volume")
    if not good.height:
        return []
    full = good.filter(pl.col("count") >= pl.col("count").quantile(0.75)).sort("quality", descending=True)
    lines = [
        f"annotate volume {full['volume'][0]} {'next' if begun else 'first'}: a clear head with {full['count'][0]} "
        "neurons, more than in most volumes, so that few identities are missing from it"
    ]
    unsure = good.filter(pl.col("named") > 0).sort("probability").head(3)
    if unsure.height and unsure["probability"][0] is not None:
        names = ", ".join(str(volume) for volume in sorted(unsure["volume"].to_list()))
        lines.append(
            f"then volumes {names}: there the identities are least sure (mean probability "
            f"{unsure['probability'][0]:.2f})"
        )
    return lines
