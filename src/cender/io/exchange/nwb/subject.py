"""What NWB requires and no recording says: ``[subject]`` of ``run.toml``, asked for, never invented."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, field_validator

from cender.errors import DataError

EXAMPLE = """\
[subject]
subject_id = "worm-17"
sex = "XX"                    # XX (hermaphrodite), XO (male) or U (not known)
growth_stage = "YA"           # L1 ... L4, YA (young adult), OA (old adult), dauer
session_start = 2024-05-17T14:30:00+02:00
experimenter = ["Curie, Marie"]
institution = "Institute"
lab = "Laboratory"
microscope = "spinning disk confocal, 40x / 1.3"

[subject.red]
indicator = "mNeptune2.5"
excitation_nm = 561
emission_nm = [580, 700]

[subject.green]
indicator = "GCaMP6s"
excitation_nm = 488
emission_nm = [500, 550]
"""


class Optics(BaseModel):
    """One channel of the microscope; ``excitation_range_nm`` is the line itself where it is not given."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    indicator: str = Field(min_length=1, description="the fluorescent protein")
    excitation_nm: float = Field(gt=100, lt=2000, description="wavelength of excitation")
    emission_nm: tuple[float, float] = Field(description="lower and upper wavelength of the emission filter")
    excitation_range_nm: tuple[float, float] | None = None


class Subject(BaseModel):
    """The animal, the session and the optics as the user gives them; other keys are kept as notes."""

    model_config = ConfigDict(frozen=True, extra="allow")

    subject_id: str = Field(min_length=1, description="a name for the animal, unique in the laboratory")
    sex: Literal["XX", "XO", "O", "M", "F", "U"] = Field(description="XX (hermaphrodite), XO (male) or U (not known)")
    growth_stage: str = Field(min_length=1, description="L1 ... L4, YA, OA, dauer")
    session_start: AwareDatetime = Field(description="when the recording began, with its time zone")
    experimenter: tuple[str, ...] = Field(min_length=1, description='who recorded it: ["Last, First"]')
    institution: str = Field(min_length=1, description="where it was recorded")
    lab: str = Field(min_length=1, description="in which laboratory")
    microscope: str = Field(min_length=1, description="the microscope, in a few words")
    red: Optics | None = None
    green: Optics | None = None
    species: str = "Caenorhabditis elegans"
    strain: str | None = None
    genotype: str | None = None
    age: str | None = Field(None, pattern=r"^P[0-9TYMWDHS./P]+$", description="ISO 8601 duration: P3D is three days")
    date_of_birth: AwareDatetime | None = None
    cultivation_temp_c: float | None = None
    description: str | None = None
    session_description: str | None = None
    keywords: tuple[str, ...] = ()

    @field_validator("experimenter", mode="before")
    @classmethod
    def _take_one(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @field_validator("session_start", "date_of_birth", mode="before")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        # TOML libraries hand over subclasses that strict validators do not know.
        return value.isoformat() if isinstance(value, datetime) else value

    @property
    def notes(self) -> str:
        """All that has no place of its own in NWB, one line each."""
        return "\n".join(f"{name}: {value}" for name, value in (self.model_extra or {}).items())


def read_subject(section: Mapping[str, Any], channels: tuple[str, ...], folder: Path) -> Subject:
    """The checked section.

    Raises
    ------
    DataError
        Something that NWB requires is missing or malformed; the message lists all of it and shows how to write it.
    """
    problems: list[str] = []
    try:
        found = Subject.model_validate(dict(section))
    except ValidationError as error:
        found = None
        problems += [_say(one["loc"], one["type"], one["msg"]) for one in error.errors()]
    problems += [
        f"[subject.{name}] (indicator, excitation_nm, emission_nm)" for name in channels if name not in section
    ]
    if problems or found is None:
        raise DataError(
            f"NWB requires what no recording says; fill it in once in [subject] of {folder / 'run.toml'}. Missing or "
            f"not usable: {'; '.join(problems)}. For example (or with --subject FILE):\n\n{EXAMPLE}"
        )
    return found


def _say(place: tuple[int | str, ...], kind: str, message: str) -> str:
    name = ".".join(map(str, place))
    field = Subject.model_fields.get(str(place[0]))
    about = f" ({field.description})" if field is not None and field.description else ""
    return f"{name}{about}" if kind == "missing" else f"{name}: {message}{about}"
