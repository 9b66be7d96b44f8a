"""Settings of a run."""

from typing import Any

from pydantic import Field, field_validator

from cender.types import Params


class RunParams(Params):
    """Which volumes a run covers, and how patient it is."""

    volumes: str | None = Field(None, description="only these volumes, half-open: '100:200', '100:' or ':200'")
    exclude: tuple[str, ...] = Field(
        (), description="seconds of the recording to leave out, half-open: ['0:12.5', '300:320']"
    )
    part_volumes: int = Field(
        50, ge=1, description="volumes written to disk together; a run that is killed loses at most these"
    )
    wait_s: float = Field(
        60.0, ge=0, description="how long to wait for a recording that cannot be reached, e.g. on a network drive"
    )
    unreadable: int = Field(20, ge=1, description="so many volumes in a row that cannot be read stop the run")

    @field_validator("volumes")
    @classmethod
    def _check_volumes(cls, text: str | None) -> str | None:
        if text is not None:
            parse_range(text, int)
        return text

    @field_validator("exclude", mode="before")
    @classmethod
    def _split_text(cls, value: Any) -> Any:
        """Take ``0:12,300:320`` too: brackets and quotation marks seldom survive a shell."""
        return [part.strip(" \"'") for part in value.strip("[] ").split(",")] if isinstance(value, str) else value

    @field_validator("exclude")
    @classmethod
    def _check_exclude(cls, ranges: tuple[str, ...]) -> tuple[str, ...]:
        for text in ranges:
            parse_range(text, float)
        return ranges


def parse_range(text: str, kind: type[int] | type[float]) -> tuple[int | float | None, int | float | None]:
    """Both ends of ``A:B``, None where an end is left open."""
    first, colon, stop = text.partition(":")
    try:
        ends = tuple(kind(end) if end.strip() else None for end in (first, stop))
    except ValueError:
        colon = ""
        ends = (None, None)
    low, high = ends
    backwards = low is not None and high is not None and low >= high
    if not colon or backwards or (low or 0) < 0 or (high is not None and high <= 0):
        what = "volumes" if kind is int else "seconds"
        raise ValueError(f"a range of {what} is like 100:200, its end not included, or open like 100: (found {text!r})")
    return low, high
