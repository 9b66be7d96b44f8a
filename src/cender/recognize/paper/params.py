"""Settings of the paper's recognition, as its Table S1 has them."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, ValidationError

from cender.errors import ModelError
from cender.types import Annotation, Params, Weights

Source = Literal["objects", "regions"]
Axes = Literal["head", "points"]

# Second row of Table S1 (NeRVE): what the paper changes where only centres are known.
CENTRES_ONLY: dict[str, Any] = {"density": "objects", "q": 10, "m3": 0.0, "epochs": 150}


class PaperParams(Params):
    """How the paper recognizes neurons (Stage 4; defaults of its Table S1, first row)."""

    k: int = Field(25, ge=1, description="neighbours in the feature of nearest neighbours")
    q: int = Field(20, ge=1, description="shells in the density feature")
    s: float = Field(32.0, gt=0, description="radius of the hypersphere that embeddings are scaled to")
    d: int = Field(56, ge=2, description="dimensions of the embedding")
    m1: float = Field(1.05, gt=0, description="margin penalty that multiplies the angle")
    m2: float = Field(0.0, ge=0, description="margin penalty that is added to the angle")
    m3: float = Field(0.05, ge=0, description="margin penalty that is taken off the cosine")
    knn: Source = Field("objects", description="what neighbours are: 'objects' (neurons) or 'regions' (their boxes)")
    density: Source = Field("regions", description="what is counted for the density: 'objects' or 'regions'")
    axes: Axes = Field(
        "head", description="the worm's axes: those found in the image, or 'points': those of the cloud of neurons"
    )
    epochs: int = Field(300, ge=1, description="passes over the annotated neurons in training")
    batch: int = Field(256, ge=2, description="neurons a training step")
    learning_rate: float = Field(1e-3, gt=0, description="learning rate, the same throughout")
    dropout: float = Field(0.2, ge=0, lt=1, description="share of the hidden units left out in each training step")
    threads: int = Field(1, ge=0, description="CPU threads in training; 0 is all (slower: the network is small)")


def choose_axes(params: PaperParams, volumes: Sequence[Annotation]) -> PaperParams:
    """The settings with axes that all these volumes have: those of their points where one has no head.

    The two kinds of axes may differ by half a turn, so a model of one knows nothing in the other.
    """
    lacking = any(annotation.head is None for annotation in volumes)
    return params.model_copy(update={"axes": "points"}) if lacking else params


def choose_params(params: PaperParams, annotated: Sequence[Annotation]) -> PaperParams:
    """The settings for this data: where only centres are known, Table S1's second row.

    Only settings that are still at their default change (to ``density = "objects"``, ``q = 10``, ``m3 = 0`` and 150
    epochs); what somebody has set stays. The axes are those that all volumes have (`choose_axes`).
    """
    params = choose_axes(params, annotated)
    if not annotated or any(len(annotation.regions) for annotation in annotated):
        return params
    defaults = PaperParams()
    untouched = {
        name: value for name, value in CENTRES_ONLY.items() if getattr(params, name) == getattr(defaults, name)
    }
    return params.model_copy(update=untouched)


def read_params(weights: Weights) -> PaperParams:
    """The settings that a recognizer was trained with, which its features have to be made with again."""
    try:
        return PaperParams.model_validate_json(weights.metadata["params"])
    except (KeyError, ValidationError) as error:
        raise ModelError(
            f"expected weights that say the settings they were trained with, found {error}; train the recognizer again"
        ) from None
