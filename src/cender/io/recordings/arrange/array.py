"""From an array as a file has it to a recording: ``t c z y x`` with sizes, rate and roles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, prod
from typing import Literal

import numpy as np
from jaxtyping import Float, Shaped

from cender.errors import ConfigError, ShapeMismatch, UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import format_shape, settle_axes
from cender.io.recordings.arrange.facts import settle_rate, settle_roles, settle_voxel
from cender.io.recordings.fence import check_volume_size, fence
from cender.io.recordings.formats.npy import ColumnMajor
from cender.io.recordings.formats.store import Store
from cender.types import Missing, Recording


def arrange_recording(store: Store, params: RecordingParams, source: str, format_name: str) -> Recording:
    """The recording that a store holds, where the settings of the user go before what the file says."""
    _check_pixels(store, source)
    axes, guessed, warnings = settle_axes(store, params, source)
    reader, cut = _lay_out(store, axes, params, source)
    check_volume_size(source, prod((reader.channels, reader.frames, *reader.image_shape)) * store.dtype.itemsize)
    warnings = (*warnings, *_warn_scattered(axes, store))
    missing = [Missing("axes", f"recording.axes={axes.replace('_', '')}", axes)] if guessed else []
    if "N" in axes and params.frames_per_volume is None:
        missing = [Missing("axes", "recording.frames_per_volume=NUMBER", "every frame a volume of its own")]
    channels = reader.channels
    roles, lack_roles, role_warnings = settle_roles(store.roles, params, channels, source)
    voxel, lack_voxel, voxel_warnings = settle_voxel(store.voxel_um, params, store.voxel_hint)
    rate, times, lack_rate, rate_warnings = settle_rate(
        _rate_of_volumes(store, axes, params), _times_of_volumes(store, axes, reader), params, reader.volumes
    )
    return Recording(
        source=source,
        format=store.kind or format_name,
        shape=(reader.volumes, channels, reader.frames, *reader.image_shape),
        dtype=store.dtype.newbyteorder("="),
        read=reader,
        voxel_um=voxel,
        rate_hz=rate,
        times_s=times,
        roles=roles,
        missing=(*missing, *lack_voxel, *lack_rate, *lack_roles),
        warnings=(*store.warnings, *warnings, *cut, *role_warnings, *voxel_warnings, *rate_warnings),
    )


def join_channels(parts: Sequence[Recording], names: Sequence[str], params: RecordingParams) -> Recording:
    """One recording of files or arrays with one channel each, in their order; ``names`` are theirs in messages."""
    first = parts[0]
    for one, name in zip(parts, names, strict=True):
        if one.shape[1] != 1:
            raise ConfigError(f"channels are joined from parts with one channel each; {name} has {one.shape[1]}")
        if one.shape[2:] != first.shape[2:]:
            raise ShapeMismatch(
                f"the volumes of {names[0]} and {name} differ (z × y × x): {format_shape(first.shape[2:])} and "
                f"{format_shape(one.shape[2:])}"
            )
    count = min(map(len, parts))
    roles, lack_roles, role_warnings = settle_roles(None, params, len(parts), first.source)
    lengths = ", ".join(f"{name} {len(one)}" for one, name in zip(parts, names, strict=True))
    uneven = (f"the channels differ in volumes ({lengths}); the first {count} of all are used",)
    warnings = (
        *(warning for one in parts for warning in one.warnings),
        *(uneven if max(map(len, parts)) > count else ()),
        *role_warnings,
    )
    return replace(
        first,
        shape=(count, len(parts), *first.shape[2:]),
        dtype=np.result_type(*(one.dtype for one in parts)),
        read=JoinedReader(tuple(parts)),
        times_s=None if first.times_s is None else first.times_s[:count],
        roles=roles,
        missing=(*(one for one in first.missing if one.what != "channel roles"), *lack_roles),
        warnings=tuple(dict.fromkeys(warnings)),
    )


@dataclass(frozen=True, slots=True)
class JoinedReader:
    """Reads each channel from a recording of its own."""

    parts: tuple[Recording, ...]

    def __call__(self, volume: int, channels: tuple[int, ...]) -> Shaped[np.ndarray, "c z y x"]:
        """These channels of one volume."""
        return np.concatenate([self.parts[channel].read(volume, (0,)) for channel in channels])


@dataclass(frozen=True, slots=True)
class VolumeReader:
    """Reads channels of one volume out of a store, touching nothing else of the file.

    Volume ``v`` begins at ``first + v * step`` of a stream of frames (axis N) or is step ``v`` of axis T; the
    frames ``keep`` of it stay, in reversed order for every second volume of an up-and-down scan.
    """

    store: Store
    source: str
    axes: str
    volumes: int
    channels: int
    keep: tuple[int, int]
    first: int
    step: int
    back_and_forth: bool
    split: Literal["none", "left-right", "top-bottom"]

    @property
    def frames(self) -> int:
        """Frames of a volume that are kept."""
        return self.keep[1] - self.keep[0]

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width of what `read` gives."""
        height, width = self.store.shape[self.axes.index("Y")], self.store.shape[self.axes.index("X")]
        return (
            height // (2 if self.split == "top-bottom" else 1),
            width // (2 if self.split == "left-right" else 1),
        )

    def __call__(self, volume: int, channels: tuple[int, ...]) -> Shaped[np.ndarray, "c z y x"]:
        """These channels of one volume; raises `UnreadableRecording` where the file does not give them."""
        for channel in channels:
            if not 0 <= channel < self.channels:
                raise IndexError(f"channel {channel} of {self.source}: it has {self.channels} channels, counted from 0")
        with fence(f"{self.source}: volume {volume}", "cannot be read"):
            data = self._read(volume, channels)
        expected = (len(channels), self.frames, *self.image_shape)
        if data.shape != expected:
            raise UnreadableRecording(
                f"{self.source}: volume {volume} has shape {format_shape(data.shape)} (c × z × y × x), "
                f"expected {format_shape(expected)} like the others"
            )
        if self.back_and_forth and volume % 2:
            data = data[:, ::-1]
        return np.ascontiguousarray(data.astype(self.store.dtype.newbyteorder("="), copy=False))

    def _read(self, volume: int, channels: tuple[int, ...]) -> Shaped[np.ndarray, "c z y x"]:
        if self.split != "none":
            whole = self._read_channels(volume, slice(0, 1))[0]
            return np.stack([self._half(whole, channel) for channel in channels]) if channels else whole[None][:0]
        first, count = (channels[0], len(channels)) if channels else (0, 0)
        if channels == tuple(range(first, first + count)):
            return self._read_channels(volume, slice(first, first + count))
        return np.concatenate([self._read_channels(volume, slice(c, c + 1)) for c in channels])

    def _read_channels(self, volume: int, channels: slice) -> Shaped[np.ndarray, "c z y x"]:
        begin = self.first + volume * self.step
        picks: dict[str, int | slice] = {
            "T": volume,
            "N": slice(begin + self.keep[0], begin + self.keep[1]),
            "Z": slice(*self.keep),
            "C": channels,
            "_": 0,
            "Y": slice(None),
            "X": slice(None),
        }
        index = tuple(picks[letter] for letter in self.axes)
        whole, read = self.store.any_index, self.store.read
        data = read(index) if whole else read(index[:-2])[(..., *index[-2:])]
        rest = [letter for letter in self.axes if letter in "NZCYX"]
        for letter, absent in (("Z", not set(rest) & {"N", "Z"}), ("C", "C" not in rest)):
            if absent:
                data, rest = data[None], [letter, *rest]
        names = [letter.replace("N", "Z") for letter in rest]
        return data.transpose([names.index(letter) for letter in "CZYX"])

    def _half(self, image: Shaped[np.ndarray, "z h w"], channel: int) -> Shaped[np.ndarray, "z y x"]:
        height, width = self.image_shape
        if self.split == "left-right":
            return image[..., :width] if channel == 0 else image[..., -width:]
        return image[..., :height, :] if channel == 0 else image[..., -height:, :]


def _lay_out(store: Store, axes: str, params: RecordingParams, source: str) -> tuple[VolumeReader, tuple[str, ...]]:
    sizes = dict(zip(axes, store.shape, strict=True))
    channels = sizes.get("C", 1)
    warnings = []
    if params.split != "none":
        if channels > 1:
            raise ConfigError(
                f"recording.split={params.split} is for one channel with two halves; {source} has {channels} channels"
            )
        channels = 2
        side = sizes["X" if params.split == "left-right" else "Y"]
        if side % 2:
            warnings.append(
                f"the sensor is {side} px along the split, which is odd; the middle line belongs to no half"
            )
    if "N" in axes:
        frames = params.frames_per_volume or 1
        volumes, over = divmod(max(0, sizes["N"] - params.first_frame), frames)
        if over:
            warnings.append(f"the last {over} camera frames make no whole volume of {frames} and are left out")
    elif params.first_frame:
        raise ConfigError(
            f"recording.first_frame={params.first_frame} counts the frames of a stream, but {source} has "
            f"axes {axes}; "
            "give recording.axes with the letter N and recording.frames_per_volume"
        )
    else:
        volumes, frames = sizes.get("T", 1), sizes.get("Z", 1)
    keep = params.keep_frames or (0, frames)
    if not 0 <= keep[0] < keep[1] <= frames:
        raise ConfigError(f"recording.keep_frames={list(keep)} does not fit a volume of {frames} frames in {source}")
    if volumes * frames * channels == 0:
        raise UnreadableRecording(f"{source} holds no whole volume; its shape is {format_shape(store.shape)} ({axes})")
    back = params.scan == "up-down"
    reader = VolumeReader(store, source, axes, volumes, channels, keep, params.first_frame, frames, back, params.split)
    return reader, tuple(warnings)


def _warn_scattered(axes: str, store: Store) -> tuple[str, ...]:
    fortran = isinstance(store.read, ColumnMajor)
    slow = axes[-1] not in "TN" if fortran else bool(set(axes[-2:]) & set("TN"))
    why = "the array is in Fortran order" if fortran else f"time is one of the last two axes ({axes})"
    advice = "save it once with time first, e.g. with cender.save_recording"
    return (f"{why}: reading one volume touches the whole file; {advice}",) if slow else ()


def _rate_of_volumes(store: Store, axes: str, params: RecordingParams) -> float | None:
    if store.rate_hz is None or "N" not in axes:
        return store.rate_hz
    return store.rate_hz / (params.frames_per_volume or 1)


def _times_of_volumes(store: Store, axes: str, reader: VolumeReader) -> Float[np.ndarray, " t"] | None:
    if store.times_s is None or "N" not in axes:
        return store.times_s
    starts = reader.first + reader.step * np.arange(reader.volumes) + reader.keep[0]
    frames = starts[:, None] + np.arange(reader.frames)
    return None if frames.max() >= len(store.times_s) else store.times_s[frames].mean(axis=1)


def _check_pixels(store: Store, source: str) -> None:
    if store.dtype.kind not in "iuf":
        raise UnreadableRecording(
            f"{source} has pixels of type {store.dtype}; expected integers or floats, one number per pixel"
        )
    if np.prod(store.shape) == np.prod(store.shape[-2:]):
        raise UnreadableRecording(
            f"{source} is a single image ({format_shape(store.shape[-2:])} px); a recording has many: "
            "z-stacks over time"
        )
    if store.times_s is not None and not all(isfinite(t) for t in store.times_s):
        raise UnreadableRecording(f"{source}: some of its time stamps are not numbers")
