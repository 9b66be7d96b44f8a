"""Identities as the machine gave them, kept beside the parts that they were made from."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from cender.io.atomic import write_atomically
from cender.types import Identities

_PREFIX = "identities-"
"""Beginning of the names of files that keep identities; a fingerprint of what they were made from follows."""


def load_known(folder: Path, key: str) -> dict[int, Identities] | None:
    """Identities by volume that were kept under a fingerprint, None where there are none or they are damaged."""
    try:
        rows = pl.read_parquet(folder / f"{_PREFIX}{key}.parquet", memory_map=False)
    except (OSError, pl.exceptions.PolarsError):
        return None
    volume = rows["volume"].to_numpy()
    first = np.flatnonzero(np.diff(volume, prepend=-1))
    identity = np.split(rows["identity"].to_numpy(), first[1:])
    probability = np.split(rows["probability"].to_numpy(), first[1:])
    return {
        int(number): Identities(one, sure)
        for number, one, sure in zip(volume[first], identity, probability, strict=False)
    }


def save_known(folder: Path, key: str, known: Mapping[int, Identities]) -> None:
    """Keep identities under a fingerprint, in place of those of any other; volumes without neurons are left out."""
    counted = [(volume, one) for volume, one in sorted(known.items()) if len(one)]
    rows = pl.DataFrame(
        {
            "volume": np.repeat([volume for volume, _ in counted], [len(one) for _, one in counted]).astype(int),
            "identity": np.concatenate([np.zeros(0, int), *(one.identity for _, one in counted)]),
            "probability": np.concatenate([np.zeros(0), *(one.probability for _, one in counted)]),
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{_PREFIX}{key}.parquet"
    with write_atomically(target) as part:
        rows.write_parquet(part)
    for path in folder.glob(f"{_PREFIX}*.parquet"):
        if path != target:
            path.unlink(missing_ok=True)
