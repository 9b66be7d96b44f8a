"""What a run came to, and what to look at next."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

from cender.types.doubt import RESULT_FROM

_LISTED = 5
"""Reasons, and volumes of each, that are listed."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the passes had to say: how far identities can be trusted (empty where unknown), and what is unsure."""

    trust: str = ""
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts, what was computed and why, and advice.

    ``identified_share`` is the share of all neurons that have an identity. ``trust`` is a sentence that says how many
    of the identities are expected to be right; it is empty where that is not known.
    """

    volumes: int
    ok: int
    flagged: int
    failed: int
    identities: int
    neurons_median: float
    identified_share: float
    redone: tuple[str, ...]
    trust: str
    advice: tuple[str, ...]
    seconds: float

    @property
    def mostly_unidentified(self) -> bool:
        """Whether most neurons have no identity, so that this is no result yet."""
        return self.identified_share < RESULT_FROM


def summarize_run(
    volumes: pl.DataFrame, neurons: pl.LazyFrame, redone: tuple[str, ...], told: Told, seconds: float
) -> Summary:
    """Counts and advice from the tables of a run."""
    status = Counter(volumes["status"].to_list())
    found: Any = (
        neurons.group_by("volume")
        .agg(
            pl.len().alias("count"),
            (pl.col("identity") >= 0).sum().alias("named"),
        )
        .sort("volume")
        .collect()
    )
    identities = neurons.filter(pl.col("identity") >= 0).select(pl.col("identity").n_unique()).collect().item()
    median = found["count"].median() if found.height else 0.0
    advice = (*told.doubts, *_advise_volumes(volumes))
    return Summary(
        volumes.height,
        status["ok"],
        status["flagged"],
        status["failed"],
        int(identities),
        float(median or 0.0),
        float(found["named"].sum() / max(found["count"].sum(), 1)),
        redone,
        told.trust,
        advice,
        seconds,
    )


def _advise_volumes(volumes: pl.DataFrame) -> list[str]:
    """Reasons of flagged and failed volumes, the commonest first, with volumes to look at."""
    # Folders of earlier versions have no flags of failed volumes.
    flags = pl.col("flags") if "flags" in volumes.columns else pl.lit("")
    kind = pl.when(flags.fill_null("") == "").then("reason").otherwise(flags).alias("kind")
    bad = volumes.filter(pl.col("status") != "ok").with_columns(kind)
    lines = []
    for rows in sorted(bad.partition_by("status", "kind", maintain_order=True), key=lambda rows: -rows.height)[
        :_LISTED
    ]:
        first = ", ".join(str(volume) for volume in rows["volume"].head(_LISTED))
        more = ", …" if rows.height > _LISTED else ""
        lines.append(f"{rows.height} {rows['status'][0]} (volumes {first}{more}): {rows['reason'][0]}")
    return lines
