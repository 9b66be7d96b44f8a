"""All settings in one place: a section a stage, TOML in and out, unknown keys refused."""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import BaseModel, Field, ValidationError

from cender.errors import ConfigError
from cender.io.params import RecordingParams
from cender.simulate.params import SimulateParams
from cender.types import Params


class Config(Params):
    """Every parameter of every stage."""

    recording: RecordingParams = Field(default_factory=RecordingParams, description="how to read the recording")
    simulate: SimulateParams = Field(default_factory=SimulateParams, description="the simulator")


def load_config(path: Path | None = None, sets: Iterable[str] = (), base: Config | None = None) -> Config:
    """Settings of a TOML file, then of ``key=value`` words, over ``base`` or the defaults.

    Parameters
    ----------
    path
        TOML file with any of the sections that ``cender config`` prints.
    sets
        Words like ``recording.rate_hz=5``; the value is read as TOML and, where that fails, as text.
    base
        Settings to start from.
    """
    values: dict[str, Any] = {} if base is None else base.model_dump(exclude_unset=True)
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
        raise ConfigError("; ".join(_describe(problem) for problem in error.errors())) from None


def format_config(config: Config, sections: Iterable[str] | None = None) -> str:
    """The settings as TOML with a comment above each; settings without a value are commented out."""
    document = tomlkit.document()
    for name in sections or Config.model_fields:
        document.add(name, _format_section(getattr(config, name), Config.model_fields[name].description))
    return tomlkit.dumps(document)


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


def _parse_set(word: str) -> dict[str, Any]:
    key, equals, text = word.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set expects key=value, for example recording.rate_hz=5; found {word!r}")
    try:
        value: Any = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    for part in reversed(key.strip().split(".")):
        value = {part: value}
    return dict(value)


def _refuse_unknown(values: Mapping[str, Any], model: type[BaseModel], prefix: str) -> None:
    for key, value in values.items():
        if key not in model.model_fields:
            raise ConfigError(f"unknown setting {prefix + key!r}{_suggest(key, model, prefix)}")
        inner = _model_of(model, key)
        if inner is not None and isinstance(value, Mapping):
            _refuse_unknown(value, inner, f"{prefix}{key}.")


def _suggest(key: str, model: type[BaseModel], prefix: str) -> str:
    close = difflib.get_close_matches(key, model.model_fields, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {prefix + close[0]!r}?"
    elsewhere = [name for name in _all_keys(Config, "") if name.rsplit(".", 1)[-1] == key]
    if elsewhere:
        return f"; did you mean {elsewhere[0]!r}?"
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


def _describe(problem: Any) -> str:
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg'].removeprefix('Value error, ')} (found {problem['input']!r})"


def _format_section(params: BaseModel, description: str | None) -> Any:
    table = tomlkit.table()
    if description:
        table.comment(description)
    for name, field in type(params).model_fields.items():
        value = getattr(params, name)
        if isinstance(value, BaseModel):
            table.add(name, _format_section(value, field.description))
            continue
        if field.description:
            table.add(tomlkit.comment(field.description))
        if value is None:
            table.add(tomlkit.comment(f"{name} ="))
        else:
            table.add(name, list(value) if isinstance(value, tuple) else value)
    return table
