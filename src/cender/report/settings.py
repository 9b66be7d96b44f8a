"""What was run, as rows of text: the recording, settings that differ from their defaults, versions, models."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cender.config import Config
from cender.types.words import say_count

NO_STAGE = ("recording", "simulate", "train")
"""Sections of the settings that do not change how a recording is analysed."""


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
    """What ``[recording]`` says, in words where there are some, and the settings for reading that were changed."""
    rows = [("source", source) for source in recording.get("sources") or [recording.get("source", "not known")]]
    shape, voxel, rate = (recording.get(key) for key in ("shape", "voxel_um", "rate_hz"))
    if isinstance(shape, list) and len(shape) == 5:
        t, c, z, y, x = shape
        rows.append(
            ("size", f"{say_count(t, 'volume')} × {say_count(c, 'channel')} × {say_count(z, 'frame')} × {y} × {x} px")
        )
    if isinstance(voxel, list):
        rows.append(("voxel", f"{' × '.join(say_value(side) for side in voxel)} µm (z y x)"))
    if rate is not None:
        rows.append(("rate", f"{say_value(rate)} volumes per second"))
    rows += [(key, recording[key]) for key in ("roles", "format", "dtype") if key in recording]
    defaults = Config().recording.model_dump(mode="json")
    changed = {
        key: recording[key] for key in defaults if key in recording and key not in ("voxel_um", "rate_hz", "roles")
    }
    rows += [(key, value) for key, value in changed.items() if value != defaults[key]]
    return [(key, say_value(value)) for key, value in rows]


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
