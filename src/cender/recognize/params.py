"""Settings of stage 4."""

from typing import Literal

from pydantic import Field

from cender.recognize.paper.params import PaperParams
from cender.types import Params


class RecognizeParams(Params):
    """How neurons get their identities."""

    method: Literal["default", "paper"] = Field("default", description="'default': ours; 'paper': as published")
    weights: str | None = Field(None, description="a trained recognizer to start from or to use (safetensors)")
    refuse_below: float = Field(
        0.05, ge=0, le=1, description="an identity that is less probable than this is not given (identity -1)"
    )
    flag_below: float = Field(
        0.6, ge=0, le=1, description="volumes whose identities are less probable than this on average are doubtful"
    )
    temporal: bool = Field(
        True, description="let every volume hear what others, five before and five after it, say about the same neurons"
    )
    fill_gaps: bool = Field(
        True,
        description="look again for neurons that other volumes expect in a volume in which they were not found; "
        "volumes with such gaps are read twice",
    )
    paper: PaperParams = Field(default_factory=PaperParams, description="the paper's recognition")
