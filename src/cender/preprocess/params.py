"""Settings of the first stage."""

from typing import Literal

from pydantic import Field

from cender.types import Params


class PreprocessParams(Params):
    """How the head and its axes are found in a volume."""

    method: Literal["default", "paper"] = Field(
        "default",
        description="'default': a small network scores every way a head can lie; 'paper': Algorithm 1 as published",
    )
    flag_below: float = Field(0.7, ge=0, le=1, description="volumes whose quality is lower are flagged")
    margin_um: float = Field(
        8.0, ge=0, description="room left around the outermost bright spots when the head is cut out"
    )
    reach_um: float = Field(140.0, gt=0, description="spots farther than this from the middle of the head are left out")
