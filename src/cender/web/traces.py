"""Traces as the page draws them: one identity at once. They are read when the first is asked for."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
import polars as pl

from cender.io import RunFolder


@dataclass(slots=True)
class TraceBook:
    """The traces of a run folder, as its last run left them; a page that shows none does not wait for them."""

    run: RunFolder
    _rows: pl.DataFrame | None = None
    _identity: Any = None
    _lock: Lock = field(default_factory=Lock)

    def describe(self, identity: int) -> dict[str, Any]:
        """The trace of an identity over all volumes; None where it has no value."""
        with self._lock:
            if self._rows is None:
                self._read()
            rows, known = self._rows, self._identity
        first, stop = (0, 0) if rows is None else np.searchsorted(known, (identity, identity + 1)).tolist()
        part = pl.DataFrame({"volume": [], "ratio": [], "valid": []}) if rows is None else rows[first:stop]
        ratio = np.round(np.asarray(part["ratio"].to_numpy(), float), 5)
        return {
            "identity": identity,
            "volume": part["volume"].to_list(),
            "ratio": [None if one != one else one for one in ratio.tolist()],
            "valid": part["valid"].to_list(),
        }

    def _read(self) -> None:
        if self.run.has_table("traces"):
            table = self.run.load_table("traces").select("identity", "volume", "ratio", "valid")
            self._rows = table.sort("identity", "volume")
            self._identity = self._rows["identity"].to_numpy()
