"""The columns of every table in a run folder and in a truth folder."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl
from polars.datatypes import DataTypeClass

# A class, not an instance: beartype cannot check `type[pl.DataType]`.
Kind = DataTypeClass


@dataclass(frozen=True, slots=True)
class Column:
    """What a column may hold: its type, whether it must be there, whether a cell may be empty, and its range.

    ``least`` belongs to the range, ``above`` does not. An empty cell (or NaN) is refused unless ``empty``; it
    becomes ``fill`` where that is given and stays empty otherwise. Infinity is always refused.
    """

    kind: Kind
    required: bool = True
    empty: bool = False
    fill: int | None = None
    least: int | None = None
    above: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table, and which of them together may not repeat.

    A row with -1 or an empty cell in a column of ``unique`` is outside that rule: any number of neurons may
    be without an identity. Columns that a schema does not name are kept as they are.
    """

    name: str
    columns: Mapping[str, Column]
    unique: tuple[tuple[str, ...], ...] = ()


_COUNT = Column(pl.Int64, least=0)
_OR_NONE = Column(pl.Int64, least=-1)
_IDENTITY = Column(pl.Int64, least=-1, empty=True, fill=-1)
_FLOAT = Column(pl.Float64)
_MAYBE = Column(pl.Float64, empty=True)
_SIZE = Column(pl.Float64, above=0)
_SHARE = Column(pl.Float64, empty=True, least=0, most=1)
_TEXT = Column(pl.String)
_SOURCE = Column(pl.String, choices=("machine", "human"))


def _optional(column: Column) -> Column:
    return Column(column.kind, False, True, column.fill, column.least, column.above, column.most, column.choices)


_AXES = ("origin_y", "origin_x", "anterior_y", "anterior_x", "ventral_y", "ventral_x")
_BOX = {"z": _COUNT, "x": _FLOAT, "y": _FLOAT, "w": _SIZE, "h": _SIZE}
_CROP = {
    "crop_x": Column(pl.Int64, empty=True),
    "crop_y": Column(pl.Int64, empty=True),
    "crop_w": Column(pl.Int64, empty=True, least=0),
    "crop_h": Column(pl.Int64, empty=True, least=0),
}
_INTENSITIES = ("red", "green", "background_red", "background_green")

VOLUMES = Schema(
    "volumes",
    {
        "volume": _COUNT,
        "status": Column(pl.String, choices=("ok", "flagged", "failed")),
        "reason": Column(pl.String, empty=True),
        "flags": Column(pl.String, required=False, empty=True),
        "time_s": _MAYBE,
        **_CROP,
        **dict.fromkeys(_AXES, _MAYBE),
        "quality": _SHARE,
        "confidence": _optional(_SHARE),
        "outline": Column(pl.String, required=False, empty=True),
    },
    unique=(("volume",),),
)
REGIONS = Schema(
    "regions",
    {
        "volume": _COUNT,
        "neuron": _OR_NONE,
        **_BOX,
        "score": _MAYBE,
        "source": _SOURCE,
        "intensity": _optional(_MAYBE),
    },
    unique=(("volume", "neuron", "z"),),
)
NEURONS = Schema(
    "neurons",
    {
        "volume": _COUNT,
        "neuron": _COUNT,
        "identity": _IDENTITY,
        "probability": _SHARE,
        **dict.fromkeys(("z_px", "y_px", "x_px", "z_um", "y_um", "x_um"), _FLOAT),
        "z_first": _COUNT,
        "z_last": _COUNT,
        **dict.fromkeys(_INTENSITIES, _MAYBE),
        "source": _SOURCE,
        "score": _optional(_MAYBE),
    },
    unique=(("volume", "neuron"), ("volume", "identity")),
)
IDENTITIES = Schema(
    "identities",
    {"identity": _COUNT, "name": Column(pl.String, empty=True), "note": _optional(_TEXT)},
    unique=(("identity",),),
)
TRACES = Schema(
    "traces",
    {
        "identity": _COUNT,
        "volume": _COUNT,
        **dict.fromkeys(("time_s", "red", "green", "ratio", "dr_r0"), _MAYBE),
        "probability": _SHARE,
        "valid": Column(pl.Boolean),
        "name": Column(pl.String, required=False, empty=True),
        **dict.fromkeys(("ratio_smooth", "dr_r0_smooth"), _optional(_MAYBE)),
    },
    unique=(("identity", "volume"),),
)
TIMINGS = Schema(
    "timings",
    {"volume": _COUNT, "stage": _TEXT, "milliseconds": Column(pl.Float64, least=0)},
    unique=(("volume", "stage"),),
)
RUN_TABLES: Mapping[str, Schema] = {s.name: s for s in (VOLUMES, REGIONS, NEURONS, TRACES, TIMINGS)}

TRUTH_VOLUMES = Schema(
    "volumes",
    {
        "volume": _COUNT,
        "time_s": _optional(_MAYBE),
        "complete": Column(pl.Boolean, required=False, empty=True),
        "flagged": Column(pl.Boolean, required=False, empty=True),
    },
    unique=(("volume",),),
)
TRUTH_REGIONS = Schema(
    "regions",
    {"volume": _COUNT, "neuron": _OR_NONE, **_BOX, "identity": _optional(_IDENTITY)},
    unique=(("volume", "neuron", "z"),),
)
TRUTH_POINTS = Schema(
    "points",
    {
        "volume": _COUNT,
        "z_um": _FLOAT,
        "y_um": _FLOAT,
        "x_um": _FLOAT,
        "identity": _IDENTITY,
        "neuron": _optional(_COUNT),
        "time_s": _optional(_MAYBE),
        "name": _optional(_TEXT),
    },
    unique=(("volume", "identity"), ("volume", "neuron")),
)
TRUTH_HEADS = Schema(
    "heads",
    {
        "volume": _COUNT,
        **dict.fromkeys(_AXES, _FLOAT),
        "outline": _optional(_TEXT),
        **{name: _optional(column) for name, column in _CROP.items()},
        "quality": _optional(_SHARE),
        "confidence": _optional(_SHARE),
    },
    unique=(("volume",),),
)
TRUTH_TRACES = Schema(
    "traces",
    {"volume": _COUNT, "identity": _COUNT, "ratio": _MAYBE},
    unique=(("volume", "identity"),),
)
TRUTH_TABLES: Mapping[str, Schema] = {
    s.name: s for s in (TRUTH_VOLUMES, TRUTH_REGIONS, TRUTH_POINTS, TRUTH_HEADS, TRUTH_TRACES)
}
