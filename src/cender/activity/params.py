"""Settings of the activity stage."""

from typing import Literal

from pydantic import Field

from cender.types import Params

Affine = tuple[float, float, float, float, float, float]


class ActivityParams(Params):
    """How intensities are measured and become traces."""

    red_to_green: Affine | None = Field(
        None,
        description="red to green pixels: yy, yx, y shift, xy, xx, x shift; empty: estimated from the recording",
    )
    shift_z: int = Field(0, description="frames by which green lies behind red, where red_to_green is given")
    largest_residual_px: float = Field(
        1.5, gt=0, description="an estimated map that leaves the channels farther apart than this is not used"
    )
    saturation: float | None = Field(
        None, gt=0, description="counts at which the cameras are full; empty: the largest number that a pixel can hold"
    )
    background_um: float = Field(
        10.0, gt=0, description="distance over which the background between neurons is averaged, sd"
    )
    least_probability: float = Field(
        0.5, ge=0, le=1, description="volumes in which an identity is less sure than this are not valid"
    )
    faintest: float = Field(
        0.1, ge=0, lt=1, description="nor are those in which its red is below this share of its median"
    )
    bleaching: Literal["auto", "none"] = Field(
        "auto", description="'auto': fitted to both channels where the recording shows it; 'none': not corrected"
    )
    smooth_s: float = Field(
        0.0, ge=0, description="adds ratio_smooth and dr_r0_smooth, averaged over time with this sd; 0: not added"
    )
