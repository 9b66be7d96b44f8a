"""Settings of naming."""

from typing import Any, Literal

from pydantic import Field, field_validator

from cender.types import Params


class NameParams(Params):
    """How cell names are given."""

    handedness: Literal["unknown", "direct", "mirrored"] = Field(
        "unknown",
        description="whether the microscope shows the animal as it is ('direct') or its mirror image; a named animal "
        "tells (`cender name` says so), and the answer is kept in run.toml",
    )
    channels: tuple[int, ...] = Field(
        (),
        description="channels of the recording, or of the image given with --colours, that hold the NeuroPAL colours, "
        "counted from 0: red, green, blue landmark colour, then the pan-neuronal one; -1 where one is missing",
    )
    volumes: int = Field(12, ge=1, description="volumes whose evidence is pooled for the names of a recording")
    refuse_below: float = Field(0.3, ge=0, le=1, description="probability below which a name is not given")

    @field_validator("channels", mode="before")
    @classmethod
    def _split_text(cls, value: Any) -> Any:
        return [part for part in value.strip("[] ").split(",") if part.strip()] if isinstance(value, str) else value
