"""Settings of training."""

from typing import Literal

from pydantic import Field

from cender.types import Params


class TrainDetectorParams(Params):
    """How the default detector learns."""

    steps: int = Field(2200, ge=1, description="training steps from scratch")
    fine_steps: int = Field(300, ge=1, description="training steps when starting from weights")
    learning_rate: float = Field(4e-3, gt=0, description="learning rate from scratch")
    fine_learning_rate: float = Field(1e-3, gt=0, description="learning rate when starting from weights")
    window_px: int = Field(96, ge=32, multiple_of=4, description="side of the training windows")
    windows: int = Field(2, ge=1, description="windows a step")
    network: Literal["fast", "deep"] = Field(
        "fast", description="network to train from scratch: the fast one, or one that sees more of the surroundings"
    )
    precision: Literal["float32", "bfloat16"] = Field(
        "float32",
        description="arithmetic of training; 'bfloat16' is several times as fast on CPUs that have it",
    )
    width: int = Field(
        24, ge=4, description="channels of the network; a fast one to start from that has fewer is widened"
    )
    reach: int = Field(1, ge=1, description="neighbouring frames that its second layer along z reads on either side")
    grid: Literal["usual", "any"] | None = Field(
        None,
        description="grids that it knows: 'usual' ones as they come, or one for 'any' rig; by default those of "
        "the weights to start from",
    )
    check_every: int = Field(100, ge=1, description="steps between validations")
    patience: int = Field(8, ge=1, description="validations without progress before training stops early")
    threads: int = Field(0, ge=0, description="CPU threads; 0 is all")
    replay: int = Field(
        6, ge=0, description="simulated animals on a microscope like yours that weights are refined with besides"
    )
    rigs: float = Field(
        0.0, ge=0, le=1, description="share of simulated animals that are seen by a microscope drawn at random"
    )


class TrainRecognizerParams(Params):
    """How the default recognizer learns."""

    steps: int = Field(400, ge=0, description="training steps on the annotated volumes at most")
    steps_each: int = Field(
        40, ge=0, description="training steps for each annotated volume: few teach less than the matcher knows"
    )
    warped: int = Field(100, ge=0, description="postures made between those of annotated volumes")
    self_volumes: int = Field(150, ge=0, description="volumes without annotation that it recognizes and learns from")
    self_steps: int = Field(250, ge=0, description="training steps on those, in each round")
    self_rounds: int = Field(2, ge=0, description="rounds of recognizing and learning")
    alone_volumes: int = Field(30, ge=0, description="of those volumes at most so many where none is annotated")
    alone_steps: int = Field(60, ge=0, description="training steps in each round at most where no volume is annotated")
    enough: int = Field(
        50, ge=1, description="annotated volumes from which on it no longer learns from its own identities"
    )
    explore: int = Field(
        3,
        ge=0,
        description="up to so many annotated volumes, if most of their neurons have an identity, neurons that they "
        "lack and that come back in others get numbers of their own",
    )
    patience: int = Field(
        120, ge=0, description="steps without a lower loss after which a stage of training ends early; 0: never"
    )
    learning_rate: float = Field(2e-3, gt=0, description="largest learning rate")
    threads: int = Field(1, ge=0, description="CPU threads; 0 is all (more than one pays off on idle machines only)")


class TrainNamerParams(Params):
    """How the namer of cells learns."""

    networks: int = Field(
        2, ge=1, description="networks, which learn one after the other and say together what a cell is"
    )
    steps: int = Field(6_000, ge=1, description="training steps of each; the last third learns from all animals")
    hold_back: int = Field(
        6, ge=2, description="one animal in this many teaches last, and calibrates the probabilities before that"
    )
    batch: int = Field(6, ge=1, description="animals per step")
    learning_rate: float = Field(2e-3, gt=0, description="largest learning rate")
    threads: int = Field(1, ge=0, description="CPU threads; 0 is all")
