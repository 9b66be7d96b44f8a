"""Settings of training."""

from pydantic import Field

from cender.types import Params


class TrainDetectorParams(Params):
    """How the default detector learns."""

    steps: int = Field(2200, ge=1, description="training steps from scratch")
    fine_steps: int = Field(500, ge=1, description="training steps when starting from weights")
    learning_rate: float = Field(4e-3, gt=0, description="learning rate from scratch")
    fine_learning_rate: float = Field(1e-3, gt=0, description="learning rate when starting from weights")
    window_px: int = Field(96, ge=32, multiple_of=4, description="side of the training windows")
    windows: int = Field(2, ge=1, description="windows a step")
    narrow: int = Field(16, ge=4, description="channels at half the image size")
    wide: int = Field(32, ge=4, description="channels at a quarter of the image size")
    check_every: int = Field(100, ge=1, description="steps between validations")
    patience: int = Field(8, ge=1, description="validations without progress before training stops early")
    threads: int = Field(0, ge=0, description="CPU threads; 0 is all")
