"""What each pass is made from, as plain values: equal values, equal results; a difference says why to redo."""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cender.config import Config
from cender.detect.params import DetectParams
from cender.errors import DataError, UnreadableRecording
from cender.io.results.annotations.human import hash_human
from cender.io.results.folder.fingerprints import hash_pixels, hash_values, hash_weights
from cender.io.results.folder.run_folder import RunFolder
from cender.types import Recording

_LOG = logging.getLogger(__name__)
_PROBED = 10
"""Volumes that are tried, one after the other, until one can be read."""
# Raised when the same settings begin to give other results.
VOLUME_PASS, RECORDING_PASS, FOREIGN_PASS = 6, 4, 2
RECOGNIZER = Path("models") / "recognizer.safetensors"
"""Where a folder keeps the recognizer that was trained in it."""
# Of the recording's settings: those that say where a file is, what the recording itself says, or what only times need.
_NOT_PIXELS = {"green", "voxel_um", "roles", "rate_hz"}
# Of the settings of activity: those that only the second pass uses.
_OF_TRACES = {"least_probability", "faintest", "bleaching", "smooth_s"}


def describe_volume_inputs(recording: Recording, probe: str, config: Config) -> dict[str, Any]:
    """All that the results of a volume depend on."""
    return {
        "pass": VOLUME_PASS,
        "recording": {
            **config.recording.model_dump(mode="json", exclude=_NOT_PIXELS),
            "frames": list(recording.shape[1:]),
            "dtype": recording.dtype.name,
            "voxel_um": list(recording.scale),
            "roles": list(recording.roles or ()),
            "first volume": probe,
        },
        **{stage: getattr(config, stage).model_dump(mode="json") for stage in ("preprocess", "merge")},
        "detect": config.detect.model_dump(mode="json", exclude={"weights"}),
        "activity": config.activity.model_dump(mode="json", exclude=_OF_TRACES),
        "models": find_models(config.detect),
    }


def describe_recording_inputs(
    volume_key: str, volumes: Iterable[int], times: str, config: Config, folder: Path
) -> dict[str, Any]:
    """All that identities and traces depend on, beside what is in the parts."""
    recognizer = find_recognizer(config, folder)
    return {
        "pass": RECORDING_PASS,
        "volume pass": volume_key,
        "volumes": format_ranges(volumes),
        "times": times,
        "activity": config.activity.model_dump(mode="json", include=_OF_TRACES),
        "recognize": config.recognize.model_dump(mode="json", exclude={"weights"}),
        "train_recognizer": config.train_recognizer.model_dump(mode="json", exclude={"threads"}),
        "matcher": hash_weights(None, "matcher"),
        "recognizer": None if recognizer is None else hash_weights(str(recognizer), ""),
        "annotations": hash_human(folder),
        "names": hash_names(folder),
        **({"template": FOREIGN_PASS} if find_template(config, folder) else {}),
    }


def hash_names(folder: Path) -> str | None:
    """A name for the names that people gave to identities, None where they gave none."""
    names = RunFolder(folder).load_names()
    return hash_values({"names": {str(identity): names[identity] for identity in sorted(names)}}) if names else None


def find_recognizer(config: Config, folder: Path) -> Path | None:
    """The trained recognizer to use: the one that the settings name, else the folder's own, else none."""
    if config.recognize.weights is not None:
        return Path(config.recognize.weights)
    own = folder / RECOGNIZER
    return own if own.is_file() else None


def find_template(config: Config, folder: Path) -> Path | None:
    """The folder of another animal whose recognizer the settings name; None where it is the folder's own or none."""
    if config.recognize.weights is None:
        return None
    path = Path(config.recognize.weights).absolute()
    other = path.parents[1]
    return other if other / RECOGNIZER == path and other != folder.absolute() else None


def use_own_detector(config: Config, folder: Path) -> Config:
    """The settings, with the folder's own detector where it has one and they name no other."""
    own = folder / "models" / "detector.safetensors"
    if config.detect.weights is not None or config.detect.method != "default" or not own.is_file():
        return config
    return config.model_copy(update={"detect": config.detect.model_copy(update={"weights": str(own)})})


def find_models(params: DetectParams) -> dict[str, str]:
    """Hashes of the weights that the volume pass uses."""
    shipped = "multi_field" if params.method == "paper" else "dense"
    models = {"detector": hash_weights(params.weights, shipped), "compass": hash_weights(None, "orientation")}
    if params.method == "default":
        models["examiner"] = hash_weights(None, "examiner")
        if params.weights is None:
            models["detector of other rigs"] = hash_weights(None, "dense_rigs")
    return models


def find_all_models(config: Config, folder: Path) -> dict[str, str]:
    """Hashes of all weights that a run uses."""
    recognizer = find_recognizer(config, folder)
    own = {} if recognizer is None else {"recognizer": hash_weights(str(recognizer), "")}
    return {**find_models(use_own_detector(config, folder).detect), "matcher": hash_weights(None, "matcher"), **own}


def probe_recording(recording: Recording, known: str | None = None) -> str:
    """Number and pixels of a volume, as a short text by which a recording is known again: ``0:2f…``.

    It is the volume that ``known`` names, else the first that can be read.
    """
    first = 0 if known is None else int(known.partition(":")[0])
    for index in range(first, min(first + _PROBED, len(recording))):
        try:
            return f"{index}:{hash_pixels(recording.volume(index).data)}"
        except (DataError, OSError, ValueError, RuntimeError, EOFError, LookupError) as error:
            _LOG.info("volume %d: %s", index, error)
    raise UnreadableRecording(
        f"{recording.source}: not one of the volumes {first} to {index} can be read; `cender info` says what is there"
    )


def compare_inputs(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> list[str]:
    """What differs, in words: ``detect.region_score was 0.6, is 0.5``."""
    found = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            found += compare_inputs(before, after, f"{prefix}{key}.")
        elif before != after:
            found.append(f"{prefix}{key} was {_say(before)}, is {_say(after)}")
    return found


def format_ranges(volumes: Iterable[int]) -> str:
    """Numbers as half-open ranges: ``0:50 60:100``."""
    ranges: list[list[int]] = []
    for volume in sorted(volumes):
        if ranges and ranges[-1][1] == volume:
            ranges[-1][1] = volume + 1
        else:
            ranges.append([volume, volume + 1])
    return " ".join(f"{first}:{stop}" for first, stop in ranges)


def _say(value: Any) -> str:
    return "not there" if value is None else str(value)
