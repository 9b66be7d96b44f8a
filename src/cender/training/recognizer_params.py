"""Settings of training the recognizer."""

from pydantic import Field

from cender.types import Params


class TrainRecognizerParams(Params):
    """How the default recognizer learns."""

    steps: int = Field(400, ge=0, description="training steps on the annotated volumes at most")
    steps_each: int = Field(
        40, ge=0, description="training steps for each annotated volume: few teach less than the matcher knows"
    )
    warped: int = Field(100, ge=0, description="postures made between those of annotated volumes")
    self_volumes: int = Field(150, ge=0, description="volumes without annotation that it names and learns from")
    self_steps: int = Field(250, ge=0, description="training steps on those, in each round")
    self_rounds: int = Field(2, ge=0, description="rounds of naming and learning")
    enough: int = Field(50, ge=1, description="annotated volumes from which on it no longer learns from its own names")
    explore: int = Field(
        0, ge=0, description="up to so many annotated volumes, unnamed neurons are followed under numbers of their own"
    )
    patience: int = Field(
        120, ge=0, description="steps without a lower loss after which a stage of training ends early; 0: never"
    )
    learning_rate: float = Field(2e-3, gt=0, description="largest learning rate")
    threads: int = Field(1, ge=0, description="CPU threads; 0 is all (more than one pays off on idle machines only)")
