"""The base of every stage's parameters."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from cender.errors import ConfigError


class Params(BaseModel):
    """Frozen settings of one stage; unknown keys are refused.

    A field's description becomes the comment above it in ``cender config``, so every field has one.

    Raises
    ------
    ConfigError
        A value does not fit its field.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigError(f"{type(self).__name__}: {say_problems(error)}") from None

    # As pydantic marks its own: sections inside of others are checked without it, and their mistakes keep their place.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


def say_problems(error: ValidationError) -> str:
    """What is wrong with some settings, in one line."""
    return "; ".join(_describe(problem) for problem in error.errors())


def _describe(problem: Any) -> str:
    where = ".".join(str(part) for part in problem["loc"])
    if problem["type"] in ("model_type", "dict_type"):
        return f"{where} is a section of settings, like {where}.name = value, not a value (found {problem['input']!r})"
    if problem["type"] == "extra_forbidden":
        return f"there is no setting {where} (found {problem['input']!r})"
    if problem["type"] == "missing" and isinstance(problem["loc"][-1], int):
        where, message = ".".join(map(str, problem["loc"][:-1])), f"value {problem['loc'][-1] + 1} is missing"
        return f"{where}: {message} (found {problem['input']!r})"
    message = problem["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    # Our own checks say what they found.
    return f"{where}: {message}" + ("" if problem["type"] == "value_error" else f" (found {problem['input']!r})")
