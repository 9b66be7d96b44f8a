"""The two channels of a recording: checked, and brought together once for all volumes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cender.activity import ActivityParams, CameraPattern, Cameras, ChannelMap, estimate_cameras, sample_rows
from cender.errors import ConfigError
from cender.io.results.parts.store import PartStore
from cender.pipeline.plan.progress import OnProgress, Progress, ignore_progress
from cender.pipeline.volumes.reading import PatientReader
from cender.types import Recording, Stack, Volume

NOTE, ARRAYS = "channel_map", "camera_pattern"
"""Names under which parts keep the channel map and the camera pattern."""


class Glimpse(NamedTuple):
    """Whether the channels of a volume show anything."""

    volume: int
    red: bool
    green: bool


def settle_cameras(
    reader: PatientReader,
    volumes: Sequence[int],
    store: PartStore,
    params: ActivityParams,
    on_progress: OnProgress = ignore_progress,
) -> Cameras:
    """What these parts were made with, else what volumes all over the recording show, and kept."""
    kept = load_cameras(store)
    if kept is not None:
        return kept
    glimpses: list[Glimpse] = []
    found = estimate_cameras(sample_volumes(reader, volumes, glimpses, on_progress), params)
    refuse_blank_red(reader.recording, glimpses)
    planes = {"red": found.pattern.red, "green": found.pattern.green}
    store.save_arrays(ARRAYS, {role: plane for role, plane in planes.items() if plane is not None})
    store.save_note(NOTE, format_channel_map(found.channel_map))
    return found


def load_cameras(store: PartStore) -> Cameras | None:
    """What `settle_cameras` kept, None where it has kept nothing."""
    note, planes = store.load_note(NOTE), store.load_arrays(ARRAYS)
    if note is None or planes is None:
        return None
    return Cameras(parse_channel_map(note), CameraPattern(planes.get("red"), planes.get("green")))


def sample_volumes(
    reader: PatientReader, volumes: Sequence[int], glimpses: list[Glimpse], on_progress: OnProgress
) -> Iterator[Stack]:
    """A few volumes, one after the other, evenly spread over those that are given; damaged ones are left out."""
    rows = sample_rows(len(volumes))
    for done, row in enumerate(rows):
        on_progress(Progress("cameras", done, len(rows)))
        found = reader.read(volumes[row])
        if isinstance(found, Volume):
            glimpses.append(Glimpse(found.index, _shows(found.red), _shows(found.green)))
            if found.red is not None or found.green is not None:
                yield found.stack


def _shows(channel: np.ndarray | None) -> bool:
    """Whether a channel is there and is not the same everywhere."""
    return channel is not None and bool(channel.min() < channel.max())


def refuse_blank_red(recording: Recording, sampled: Sequence[Glimpse]) -> None:
    """Raise where nothing is in the red channel of any volume though the green one shows something."""
    red, green = recording.channel("red"), recording.channel("green")
    if red is None or green is None or not sampled:
        return
    if not any(one.red for one in sampled) and any(one.green for one in sampled):
        swapped = ["green" if role == "red" else "red" if role == "green" else role for role in recording.roles or ()]
        raise ConfigError(
            f"{recording.source}: channel {red}, which is taken as red, is blank in volumes "
            f"{', '.join(str(one.volume) for one in sampled)}, while channel {green} is not; are the channel roles "
            f"right? Otherwise give --set recording.roles={','.join(swapped)}"
        )


def describe_channels(recording: Recording, found: ChannelMap) -> list[str]:
    """What the channels of this recording cannot give, and what is doubtful about them."""
    notes = []
    if recording.channel("red") is None:
        notes.append(
            "there is no red channel: neurons are found in green, where dark ones are missed, and without a ratio "
            "motion and focus cannot be told from activity"
        )
    if recording.channel("green") is None:
        notes.append("there is no green channel: neurons, identities and red are given, but no ratio and no activity")
    if not found.trusted:
        notes.append(f"red and green are taken as aligned: {found.reason}")
    return notes


def format_channel_map(found: ChannelMap) -> dict[str, Any]:
    """A channel map as plain values; what is not known is left out."""
    values = {
        "red_to_green": [float(value) for value in found.matrix_yx.ravel()],
        "shift_z": int(found.shift_z),
        "source": found.source,
        "residual_px": float(found.residual_px),
        "residual_um": float(found.residual_um),
        "quality": float(found.quality),
        "points": int(found.points),
        "trusted": bool(found.trusted),
        "reason": found.reason,
    }
    return {key: value for key, value in values.items() if not (isinstance(value, float) and math.isnan(value))}


def parse_channel_map(values: Mapping[str, Any]) -> ChannelMap:
    """The channel map of `format_channel_map`."""
    given = dict(values)
    matrix = np.array(given.pop("red_to_green"), float).reshape(2, 3)
    return ChannelMap(matrix, **given)
