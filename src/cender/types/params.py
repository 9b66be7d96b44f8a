"""The base of every stage's parameters."""

from pydantic import BaseModel, ConfigDict


class Params(BaseModel):
    """Frozen settings of one stage; unknown keys are refused.

    A field's description becomes the comment above it in ``cender config``, so every field has one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)
