"""All settings in one place: one section per stage, TOML in and out, unknown keys refused."""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

import tomlkit
from pydantic import BaseModel, Field, ValidationError

from cender.activity.params import ActivityParams
from cender.detect.params import DetectParams
from cender.errors import ConfigError
from cender.io.params import RecordingParams
from cender.io.results.params import RunParams
from cender.merge.params import MergeParams
from cender.name.params import NameParams
from cender.preprocess.params import PreprocessParams
from cender.recognize.params import RecognizeParams
from cender.simulate.params import SimulateParams
from cender.training.params import TrainDetectorParams, TrainNamerParams, TrainRecognizerParams
from cender.types import Params
from cender.types.params import say_problems

EVERYDAY = (
    *(f"recording.{name}" for name in ("axes", "dataset", "voxel_um", "rate_hz", "roles", "green")),
    *(f"recording.{name}" for name in ("frames_per_volume", "keep_frames", "scan", "split")),
    *("preprocess.flag_below", "detect.weights", "detect.device", "detect.region_score", "detect.centre_score"),
    *("merge.least_chance", "activity.red_to_green", "activity.saturation", "activity.least_probability"),
    *("activity.bleaching", "activity.smooth_s", "run.volumes", "run.exclude", "run.wait_s"),
    *("recognize.method", "recognize.weights", "recognize.refuse_below", "recognize.flag_below"),
    *("train.fine_steps", "train_recognizer.steps", "name.handedness", "name.refuse_below"),
    *("simulate.preset", "simulate.seed", "simulate.volumes"),
)
"""Settings that people touch; the others are for those who know the method."""


class Config(Params):
    """Every parameter of every stage."""

    recording: RecordingParams = Field(default_factory=RecordingParams, description="how to read the recording")
    preprocess: PreprocessParams = Field(default_factory=PreprocessParams, description="finding the head and its axes")
    detect: DetectParams = Field(default_factory=DetectParams, description="finding neuronal regions in frames")
    merge: MergeParams = Field(default_factory=MergeParams, description="joining regions into neurons")
    activity: ActivityParams = Field(default_factory=ActivityParams, description="intensities and traces")
    run: RunParams = Field(default_factory=RunParams, description="which volumes a run covers, and how patient it is")
    recognize: RecognizeParams = Field(default_factory=RecognizeParams, description="giving neurons their identities")
    train: TrainDetectorParams = Field(default_factory=TrainDetectorParams, description="training the detector")
    train_recognizer: TrainRecognizerParams = Field(
        default_factory=TrainRecognizerParams, description="training the recognizer"
    )
    name: NameParams = Field(default_factory=NameParams, description="giving identities the names of cells")
    train_namer: TrainNamerParams = Field(default_factory=TrainNamerParams, description="training the namer of cells")
    simulate: SimulateParams = Field(default_factory=SimulateParams, description="the simulator")


def load_config(path: Path | None = None, sets: Iterable[str] = (), base: Mapping[str, Any] | None = None) -> Config:
    """Settings of a TOML file, then of ``key=value`` words, over ``base`` or the defaults.

    Parameters
    ----------
    path
        TOML file with any of the sections that ``cender config`` prints.
    sets
        Words like ``recording.rate_hz=5``; the value is read as TOML and, where that fails, as text.
    base
        Nested values to start from, such as the sections of a ``run.toml``. Values, not a `Config`: one of
        these has the knobs of its preset filled in, which another preset laid over it could not change.
    """
    values: dict[str, Any] = deepcopy(dict(base or {}))
    if path is not None:
        merge_values(values, _read_toml(path))
    for word in sets:
        merge_values(values, _parse_set(word))
    return build_config(values)


def build_config(values: Mapping[str, Any]) -> Config:
    """Check nested values and make a `Config` of them."""
    _refuse_unknown(values, Config, "")
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise ConfigError(say_problems(error)) from None


def format_config(
    config: Config, sections: Iterable[str] | None = None, which: Literal["everyday", "all"] = "all"
) -> str:
    """The settings as TOML with a comment above each; settings without a value are commented out.

    ``everyday`` leaves out settings that people seldom touch, unless they differ from their defaults.
    """
    document = tomlkit.document()
    kept = None if which == "all" else {*EVERYDAY, *find_changed(config)}
    for name in sections or Config.model_fields:
        table = _format_section(getattr(config, name), Config.model_fields[name].description, f"{name}.", kept)
        if table.value.body:
            document.add(name, table)
    return tomlkit.dumps(document)


def find_changed(config: Config) -> dict[str, Any]:
    """Settings that differ from their defaults, those of the simulator from the ones of its preset, by full name."""
    usual = Config(simulate=SimulateParams(preset=config.simulate.preset))
    values = {name: _look_up(config, name) for name in _all_keys(Config, "")}
    singles = {name: value for name, value in values.items() if not isinstance(value, BaseModel)}
    return {name: value for name, value in singles.items() if value != _look_up(usual, name)}


def _look_up(config: Config, name: str) -> Any:
    value: Any = config
    for part in name.split("."):
        value = getattr(value, part)
    return value


def merge_values(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Lay nested values over others, in place."""
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            merge_values(into[key], value)
        else:
            into[key] = value


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such settings file; `cender config` prints one to start from") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read as a settings file: {error.strerror}") from None


def _parse_set(word: str) -> dict[str, Any]:
    key, equals, text = word.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set expects key=value, for example recording.rate_hz=5; found {word!r}")
    parts = key.strip().split(".")
    value = _parse_value(text, wants_text=_is_text(parts))
    for part in reversed(parts):
        value = {part: value}
    return dict(value)


def _parse_value(text: str, *, wants_text: bool) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text.strip()
    # A dataset called 7 is a name, and what follows a line break would be a second setting.
    if len(parsed) > 1 or (wants_text and not isinstance(parsed["value"], str)):
        return text.strip()
    return parsed["value"]


def _is_text(parts: list[str]) -> bool:
    """Whether the setting with this name takes text and nothing else."""
    model: type[BaseModel] | None = Config
    for part in parts[:-1]:
        model = _model_of(model, part) if model is not None and part in model.model_fields else None
    if model is None or parts[-1] not in model.model_fields:
        return False
    return model.model_fields[parts[-1]].annotation in (str, str | None)


def _refuse_unknown(values: Mapping[str, Any], model: type[BaseModel], prefix: str) -> None:
    for key, value in values.items():
        if key not in model.model_fields:
            raise ConfigError(f"unknown setting {prefix + key!r}{_suggest(key, model, prefix)}")
        inner = _model_of(model, key)
        if inner is not None and isinstance(value, Mapping):
            _refuse_unknown(value, inner, f"{prefix}{key}.")


def _suggest(key: str, model: type[BaseModel], prefix: str) -> str:
    # The right name in the wrong section is nearer than another name in the right one.
    elsewhere = [name for name in _all_keys(Config, "") if name.rsplit(".", 1)[-1] == key]
    if elsewhere:
        return f"; did you mean {elsewhere[0]!r}?"
    close = difflib.get_close_matches(key, model.model_fields, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {prefix + close[0]!r}?"
    return f"; known here: {', '.join(model.model_fields)}"


def _all_keys(model: type[BaseModel], prefix: str) -> Iterable[str]:
    for key in model.model_fields:
        yield prefix + key
        inner = _model_of(model, key)
        if inner is not None:
            yield from _all_keys(inner, f"{prefix}{key}.")


def _model_of(model: type[BaseModel], key: str) -> type[BaseModel] | None:
    kind = model.model_fields[key].annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _format_section(params: BaseModel, description: str | None, prefix: str, kept: set[str] | None) -> Any:
    """A section with the settings whose full names are ``kept``, or all."""
    table = tomlkit.table()
    if description:
        table.comment(description)
    for name, field in type(params).model_fields.items():
        value = getattr(params, name)
        if isinstance(value, BaseModel):
            inner = _format_section(value, field.description, f"{prefix}{name}.", kept)
            if inner.value.body:
                table.add(name, inner)
            continue
        if kept is not None and prefix + name not in kept:
            continue
        if field.description:
            table.add(tomlkit.comment(field.description))
        if value is None:
            table.add(tomlkit.comment(f"{name} ="))
        else:
            table.add(name, list(value) if isinstance(value, tuple) else value)
    return table
