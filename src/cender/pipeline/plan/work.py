"""A run folder and its recording, settled: what is to be run, with which settings, and whether the two fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cender.config import Config, build_config
from cender.errors import ConfigError, DataError, UnreadableRecording
from cender.io import open_folder
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.joined import list_lengths
from cender.io.results.folder.run_folder import ROOT_NAME
from cender.pipeline.plan.inputs import probe_recording
from cender.pipeline.plan.source import Source
from cender.types import Recording

SECTIONS = ("recording", "preprocess", "detect", "merge", "recognize", "train_recognizer", "activity", "run")
"""Sections of the settings that a run writes into `run.toml`."""
# Of [recording] in run.toml: what was found, as against what was set.
_FACTS = ("source", "sources", "lengths", "format", "shape", "dtype", "probe")


@dataclass(frozen=True, slots=True)
class Work:
    """What a call of the run has in hand; ``kept`` is run.toml, empty for a new folder."""

    path: Path
    kept: Mapping[str, Any]
    source: Source
    recording: Recording
    config: Config
    probe: str


def is_run_folder(path: object) -> bool:
    """Whether something is the path of a run folder."""
    return isinstance(path, str | Path) and (Path(path) / ROOT_NAME).is_file()


def load_values(path: Path) -> dict[str, Any]:
    """The settings that a run folder keeps, as nested values to lay others over; none where it does not exist yet."""
    if not is_run_folder(path):
        return {}
    kept = open_folder(path).load_settings()
    values = {name: dict(kept[name]) for name in SECTIONS if name in kept}
    values["recording"] = {k: v for k, v in values.get("recording", {}).items() if k not in _FACTS}
    return values


def settle_work(
    given: Recording | str | Path | Sequence[str | Path], out: str | Path | None, config: Config | None
) -> Work:
    """Find folder, recording and settings, and refuse a recording that is not the one the folder was made from."""
    paths = [given] if isinstance(given, str | Path) else given
    if out is None and not isinstance(paths, Recording) and len(paths) == 1 and is_run_folder(paths[0]):
        path, fresh = Path(paths[0]), None
    elif out is None:
        raise ConfigError(_say_no_folder(paths))
    else:
        path, fresh = Path(out), paths
    kept = open_folder(path).load_settings() if is_run_folder(path) else {}
    settings = config or build_config(load_values(path))
    source = _find_source(path, fresh, kept, settings.recording)
    recording = source.open()
    probe = probe_recording(recording, kept.get("recording", {}).get("probe"))
    _refuse_other(path, kept, recording, probe, settings)
    return Work(path, kept, source, recording, settings, probe)


def _say_no_folder(given: Recording | Sequence[str | Path]) -> str:
    advice = "a new run needs a folder: give --out WORM (in Python out='WORM')"
    if isinstance(given, Recording) or len(given) != 1 or not _is_folder_or_nothing(Path(given[0])):
        return advice
    found = "is no run folder: there is no run.toml in it" if Path(given[0]).exists() else "is not there"
    return f"{given[0]} {found}; {advice}"


def _is_folder_or_nothing(path: Path) -> bool:
    return path.is_dir() or not path.exists()


def describe_work(work: Work, models: Mapping[str, str]) -> dict[str, Any]:
    """The sections of ``run.toml``: what was found of the recording, every parameter, model hashes."""
    recording = work.recording
    facts: dict[str, Any] = {
        "source": recording.source,
        "sources": list(work.source.paths) or None,
        "lengths": list_lengths(recording),
        "format": recording.format,
        "shape": list(recording.shape),
        "dtype": recording.dtype.name,
        "probe": work.probe,
    }
    found = {
        "voxel_um": list(recording.scale),
        "rate_hz": recording.rate_hz,
        "roles": list(recording.roles or ()) or None,
    }
    settings = {name: getattr(work.config, name).model_dump(mode="json", exclude_none=True) for name in SECTIONS}
    settings["recording"] = facts | work.source.params.model_dump(mode="json", exclude_none=True) | found
    return {**settings, "models": dict(models)}


def _find_source(path: Path, fresh: Any, kept: Mapping[str, Any], params: RecordingParams) -> Source:
    if isinstance(fresh, Recording):
        on_disk = (str(Path(fresh.source).absolute()),) if _is_path(fresh.source) else ()
        return Source(on_disk, params, fresh)
    if fresh is not None:
        return Source.from_paths(fresh, params)
    sources = kept.get("recording", {}).get("sources")
    if not sources:
        raise UnreadableRecording(
            f"{path / ROOT_NAME} names no file: the run was made from a recording in memory; give it again"
        )
    source = Source(tuple(map(str, sources)), params)
    if not source.is_reachable():
        raise UnreadableRecording(
            f"{', '.join(source.paths)}: the recording of {path} is not there; if it was moved, run "
            f"`cender run NEW_PLACE --out {path}`"
        )
    return source


def _is_path(source: str) -> bool:
    try:
        return Path(source).exists()
    except (OSError, ValueError):
        # Several files that were joined have a source that no file could be named by.
        return False


def _refuse_other(path: Path, kept: Mapping[str, Any], recording: Recording, probe: str, config: Config) -> None:
    """Raise where the recording has shrunk or is another one, though it is read with the same settings as before."""
    before = kept.get("recording", {})
    if "shape" not in before:
        return
    old = build_config({"recording": {k: v for k, v in before.items() if k not in _FACTS}}).recording
    unlike = {"rate_hz", "green", "voxel_um", "roles"}
    if old.model_dump(exclude=unlike) != config.recording.model_dump(exclude=unlike):
        return
    shape, now = tuple(before["shape"]), recording.shape
    said = f"{recording.source} is not the recording that {path} was made from"
    advice = "bring that one back, or run this one into a folder of its own with --out NEW"
    if shape[1:] != now[1:] or before.get("dtype", recording.dtype.name) != recording.dtype.name:
        raise DataError(
            f"{said}: a volume was {list(shape[1:])} {before.get('dtype')} (c z y x), now it is {list(now[1:])} "
            f"{recording.dtype.name}; {advice}"
        )
    lengths, grown = before.get("lengths", [shape[0]]), list_lengths(recording)
    if lengths[:-1] != grown[: len(lengths) - 1]:
        raise DataError(f"{said}: its files had {lengths} volumes and have {grown} now; {advice}")
    if now[0] < shape[0]:
        raise DataError(f"{said}, or it was cut off: it had {shape[0]} volumes and has {now[0]} now; {advice}")
    if probe != before.get("probe", probe):
        raise DataError(f"{said}: the pixels of its first volume are others; {advice}")
