"""The pixels of a run: head crops from the run folder, or else from the recording, kept in bounded memory."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from jaxtyping import Shaped

from cender.activity.align import bring_to_red, read_matrix
from cender.errors import CenderError, UnreadableRecording
from cender.io.results.crops import CropStore, create_crops, open_crops
from cender.types import Crop, Recording
from cender.web.window import Window, find_window

LARGEST_CACHE = 400_000_000
"""Bytes of volumes that are kept in memory."""
MARGIN_PX = 12
"""Room around the head that is shown."""
SAMPLES = 5
"""Volumes from which the contrast is taken."""
Stacks = Mapping[str, Shaped[np.ndarray, "z y x"]]


@dataclass(frozen=True, slots=True)
class Picture:
    """The pixels of one volume by channel, and where they lie in the full frame."""

    crop: Crop
    stacks: Stacks

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return sum(stack.nbytes for stack in self.stacks.values())


@dataclass(slots=True)
class Frames:
    """Pictures of the volumes of a run, the latest ones held in memory.

    ``boxes`` are the head's crops by volume; ``recording`` is None where it cannot be reached, and ``why`` says why.
    ``channel_map`` is the run's own: boxes belong to red, so green is shown where red has it.
    """

    boxes: Mapping[int, Crop]
    recording: Recording | None
    why: str = ""
    crops: CropStore | None = None
    channel_map: Any = None
    _held: OrderedDict[int, Picture] = field(default_factory=OrderedDict)
    _windows: dict[str, Window] | None = None
    _lock: Lock = field(default_factory=Lock)
    _reading: Lock = field(default_factory=Lock)

    @property
    def roles(self) -> tuple[str, ...]:
        """The channels that can be shown."""
        if self.crops is not None:
            return self.crops.roles
        return () if self.recording is None else choose_roles(self.recording)

    def load(self, volume: int) -> Picture:
        """The picture of a volume; raises `UnreadableRecording` where it is in neither crops nor recording."""
        with self._lock:
            if volume in self._held:
                self._held.move_to_end(volume)
                return self._held[volume]
        with self._reading:
            picture = self._load(volume)
        with self._lock:
            self._held[volume] = picture
            while len(self._held) > 1 and sum(one.bytes for one in self._held.values()) > LARGEST_CACHE:
                self._held.popitem(last=False)
        return picture

    def forget(self) -> None:
        """Hold no picture any more."""
        with self._lock:
            self._held.clear()

    def windows(self) -> Mapping[str, Window]:
        """Brightness window of each channel, from volumes spread over the run."""
        if self._windows is None:
            usable = sorted(self.boxes) or [0]
            chosen = [usable[int(row)] for row in np.linspace(0, len(usable) - 1, min(SAMPLES, len(usable)))]
            pictures = [one for one in map(self._try, dict.fromkeys(chosen)) if one is not None]
            self._windows = {role: find_window([one.stacks[role] for one in pictures]) for role in self.roles}
        return self._windows

    def _try(self, volume: int) -> Picture | None:
        try:
            return self.load(volume)
        except CenderError:
            return None

    def _load(self, volume: int) -> Picture:
        kept = None if self.crops is None else self.crops.load(volume)
        if kept is not None:
            return Picture(*kept)
        if self.recording is None:
            raise UnreadableRecording(f"volume {volume}: no crop of it is kept, and the recording: {self.why}")
        return read_picture(self.recording, volume, self.boxes.get(volume), self.channel_map)


def choose_roles(recording: Recording) -> tuple[str, ...]:
    """The channels that a page shows: red and green, or the first one where there is neither."""
    found = tuple(role for role in ("red", "green") if recording.channel(role) is not None)
    return found or ("red",)


def read_picture(recording: Recording, volume: int, box: Crop | None, channel_map: Any) -> Picture:
    """One volume of a recording, green brought to red, cut to the head with a margin (without a head: all of it)."""
    roles = choose_roles(recording)
    channels = tuple(recording.channel("red" if role == "red" else "green") or 0 for role in roles)
    try:
        data = recording.volume(volume, channels).data
    except (OSError, ValueError, IndexError) as error:
        where = f"volume {volume} of {recording.source}"
        raise UnreadableRecording(str(error) if where in str(error) else f"{where}: {error}") from error
    crop = grow_crop(box, data.shape[-2:])
    maps = {"green": channel_map} if len(roles) == 2 else {}
    stacks = {role: bring_to_red(data[row], maps.get(role), crop) for row, role in enumerate(roles)}
    return Picture(crop, {role: np.ascontiguousarray(stack) for role, stack in stacks.items()})


def grow_crop(box: Crop | None, frame: tuple[int, ...]) -> Crop:
    """A head's crop with a margin, inside the frame."""
    height, width = frame
    if box is None or box.w <= 0 or box.h <= 0:
        return Crop(0, 0, width, height)
    x, y = max(box.x - MARGIN_PX, 0), max(box.y - MARGIN_PX, 0)
    right, bottom = min(box.x + box.w + MARGIN_PX, width), min(box.y + box.h + MARGIN_PX, height)
    return Crop(x, y, right - x, bottom - y) if right > x and bottom > y else Crop(0, 0, width, height)


def estimate_crops(recording: Recording, boxes: Mapping[int, Crop]) -> int:
    """Bytes that the crops of a run take on disk at most; compression usually halves them."""
    areas = [(crop := grow_crop(box, recording.shape[-2:])).w * crop.h for box in boxes.values()]
    return sum(areas) * recording.shape[2] * len(choose_roles(recording)) * recording.dtype.itemsize


def keep_crops(
    folder: Path,
    recording: Recording,
    boxes: Mapping[int, Crop],
    channel_map: Any,
    on_volume: Callable[[int], None],
) -> CropStore:
    """Write the head crops of all volumes into the run folder, going on where an earlier call stopped."""
    grown = {volume: grow_crop(box, recording.shape[-2:]) for volume, box in boxes.items()}
    height, width = (max((getattr(crop, side) for crop in grown.values()), default=1) for side in ("h", "w"))
    store = open_crops(folder)
    shape = (recording.shape[2], height, width)
    roles, made_with = choose_roles(recording), _describe_map(channel_map)
    same = store is not None and store.roles == roles and store.made_with == made_with
    if store is None or not same or not store.fits(len(recording), shape):
        store = create_crops(folder, len(recording), roles, shape, recording.dtype, made_with)
    there = store.volumes
    try:
        for volume in sorted(grown):
            if volume not in there:
                picture = read_picture(recording, volume, boxes[volume], channel_map)
                store.save(volume, picture.crop, picture.stacks)
            on_volume(volume)
    finally:
        store.flush()
    return store


def _describe_map(channel_map: Any) -> tuple[float, ...]:
    matrix = read_matrix(channel_map)
    return () if matrix is None else (*matrix.ravel().tolist(), float(channel_map.get("shift_z", 0)))
