"""Settings of stage 2."""

from typing import Literal

from pydantic import Field

from cender.detect.multi_field import MultiFieldParams
from cender.types import Params


class DetectParams(Params):
    """How neuronal regions are found."""

    method: Literal["default", "paper"] = Field(
        "default", description="'default': ours; 'paper': multi-field detection as published"
    )
    network: Literal["auto", "fast", "wide"] = Field(
        "auto",
        description="shipped network of our detector: 'wide' is surer and takes several times as long; 'auto' is "
        "'fast' on usual rigs and 'wide' on others",
    )
    weights: str | None = Field(None, description="weights to use instead of the shipped ones (safetensors)")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="'auto': a GPU where torch finds one, else the CPU"
    )
    precision: Literal["auto", "float32", "int8"] = Field(
        "auto", description="arithmetic on the CPU; 'auto' is what the weights were made for"
    )
    region_score: float = Field(0.6, gt=0, lt=1, description="regions below this score are dropped")
    centre_score: float = Field(0.3, gt=0, lt=1, description="neuron centres below this score are dropped")
    overlap: float = Field(
        0.35, ge=0, le=1, description="of two regions in a frame with a larger IoU the better one is kept"
    )
    spacing_um: float = Field(
        2.1,
        ge=0,
        description="of two neuron centres nearer to each other than this the better one is kept, unless both are "
        "sure and 1.2 µm apart",
    )
    multi_field: MultiFieldParams = Field(default_factory=MultiFieldParams, description="the paper's detector")
