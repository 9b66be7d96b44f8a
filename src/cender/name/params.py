"""Settings of naming."""

from typing import Literal

from pydantic import Field

from cender.types import Params


class NameParams(Params):
    """How cell names are given."""

    handedness: Literal["unknown", "direct", "mirrored"] = Field(
        "unknown",
        description="whether the microscope shows the animal as it is ('direct') or its mirror image; a named animal "
        "tells (`cender name` says so), and the answer is kept in run.toml",
    )
    volumes: int = Field(12, ge=1, description="volumes whose evidence is pooled for the names of a recording")
    refuse_below: float = Field(0.3, ge=0, le=1, description="probability below which a name is not given")
