"""What was run, as rows of text: the recording, settings that differ from their defaults, versions, models."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cender.config import Config

NO_STAGE = ("recording", "simulate", "train")


class Difference(NamedTuple):
    """A setting that is not at its default; ``default`` is None where this version does not know the setting."""

    key: str
    value: str
    default: str | None


def list_differences(settings: Mapping[str, Any]) -> list[Difference]:
    """Settings of the stages in ``run.toml`` that differ from the defaults of this version of cender."""
    defaults = dict(_flatten(Config().model_dump(mode="json"), ""))
    found = []
    for section in Config.model_fields:
        if section in NO_STAGE or not isinstance(settings.get(section), Mapping):
            continue
        for key, value in _flatten(settings[section], f"{section}."):
            if key not in defaults:
                found.append(Difference(key, say_value(value), None))
            elif defaults[key] != value:
                found.append(Difference(key, say_value(value), say_value(defaults[key])))
    return found


def describe_recording(recording: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What ``[recording]`` says, source first, in the words of the settings."""
    first = ("source", "format", "shape", "voxel_um", "rate_hz", "roles", "axes")
    keys = [key for key in first if key in recording] + [key for key in recording if key not in first]
    return [(key, say_value(recording[key])) for key in keys if recording[key] is not None]


def list_models(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Models by name with their hashes, as ``[models]`` says."""
    models = settings.get("models", {})
    return [(name, say_value(value)) for name, value in models.items()] if isinstance(models, Mapping) else []


def list_versions(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The version of cender that wrote the folder, then whatever ``[versions]`` adds."""
    more = settings.get("versions", {})
    rows = [("cender", say_value(settings.get("cender", "not known")))]
    return rows + ([(name, say_value(value)) for name, value in more.items()] if isinstance(more, Mapping) else [])


def say_value(value: Any) -> str:
    """A value as TOML would show it, text without its quotation marks."""
    if value is None:
        return "not set"
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {say_value(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(say_value(inner) for inner in value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value, default=str)


def _flatten(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", list(value) if isinstance(value, tuple) else value
