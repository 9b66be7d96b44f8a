"""Settings of stage 3."""

from typing import Literal

from pydantic import Field

from cender.types import Params


class MergeParams(Params):
    """How regions of neighbouring frames become neurons."""

    method: Literal["default", "paper"] = Field(
        "default",
        description="'default': ours, from 3D centres where there are any; 'paper': link and split as published",
    )
    link_iou: float = Field(
        0.05, ge=0, lt=1, description="regions of neighbouring frames that overlap less are not linked"
    )
    cut_above: float = Field(0.0, description="log-odds above which a link is taken for two neurons and cut")
    reach: float = Field(
        0.65, gt=0, description="largest distance of a region from the centre of its neuron, in widths of the region"
    )
    leftover_score: float = Field(
        0.5, ge=0, le=1, description="regions without a centre become neurons of their own from this score on"
    )
    leftover_frames: int = Field(2, ge=1, description="and if they make a chain of at least so many frames")
    least_chance: float = Field(
        0.5, ge=0, le=1, description="neurons found with 3D centres are dropped if they are less likely to be real"
    )
    faint_chance: float = Field(
        0.2,
        ge=0,
        le=1,
        description="in a recording, neurons that are at least this likely are taken where recognition knows them",
    )
    depth_offset_um: float = Field(0.8, description="expected depth of a neuron: this plus depth_slope times its width")
    depth_slope: float = Field(1.45, ge=0, description="micrometres of depth for each micrometre of width")
    depth_spread_um: float = Field(1.08, gt=0, description="how far depths lie from that, sd")

    def with_faint(self) -> "MergeParams":
        """The same settings under which faint neurons stay, for recognition to decide on."""
        return self.model_copy(update={"least_chance": min(self.least_chance, self.faint_chance)})
