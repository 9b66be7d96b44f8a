"""Simulated recordings on disk: pixels and truth in one pass."""

import csv
import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cender.errors import DataError, UnsupportedFormat
from cender.io import FORMATS, TruthWriter, save_recording
from cender.io.atomic import is_part, write_text
from cender.simulate import Simulation
from cender.types import Recording, VoxelSize

ONE_CHANNEL_A_FILE = frozenset({"matlab"})
"""Formats whose files hold a single channel."""
OnVolume = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a simulation was written: the recording (or a file for each channel) and the truth."""

    recordings: tuple[Path, ...]
    truth: Path


def save_simulation(
    simulation: Simulation, out: Path, format: str = "ome-tiff", on_volume: OnVolume | None = None
) -> Saved:
    """Draw every volume once, and write it and its truth while it is at hand.

    ``out/recording.*`` holds the volumes and ``out/truth`` boxes, centres, identities, heads and ratios, with
    ``events.csv`` (volume, event) beside them: deep bends, Ω-turns, twists and moments of defocus. Both take
    their names when they are complete, the truth last; what a killed run leaves is hidden, and the next one
    removes it.

    Parameters
    ----------
    simulation
        What `simulate_recording` returns.
    out
        A folder that is empty or does not exist yet.
    format
        Name of a format in `cender.io.FORMATS`.
    on_volume
        Called with the index of each volume that was written.
    """
    parts = split_channels(simulation.recording, out, format)
    claim_folder(out)
    events: list[tuple[int, str]] = []
    params = simulation.world.params
    with TruthWriter(
        out / "truth",
        voxel_um=VoxelSize(*params.voxel_um),
        rate_hz=params.rate_hz,
        provenance=simulation.provenance,
    ) as writer:

        def add_truth(volume: int) -> None:
            annotation = simulation.annotate(volume)
            seen = set(annotation.identity.tolist())
            ratio = {key: value for key, value in simulation.ratios(volume).items() if key in seen}
            writer.add(annotation, time_s=simulation.recording.time_s(volume), ratio=ratio)
            events.extend((volume, event) for event in simulation.events(volume))
            if on_volume is not None:
                on_volume(volume)

        for number, (path, part) in enumerate(parts.items()):
            save_recording(part, path, format, on_volume=add_truth if number == 0 else None)
        write_text(out / "truth" / "events.csv", _format_events(events))
    return Saved(tuple(parts), out / "truth")


def split_channels(recording: Recording, out: Path, format: str) -> dict[Path, Recording]:
    """The files that a format makes of a recording, by path: one, or one for each channel."""
    known = {one.name: one for one in FORMATS if one.save is not None}
    if format not in known:
        raise UnsupportedFormat(f"unknown recording format {format!r}; there are {', '.join(known)}")
    suffix = known[format].suffix
    if format not in ONE_CHANNEL_A_FILE or recording.roles is None:
        return {out / f"recording{suffix}": recording}
    return {
        out / f"recording_{role}{suffix}": take_channel(recording, channel)
        for channel, role in enumerate(recording.roles)
    }


def take_channel(recording: Recording, channel: int) -> Recording:
    """One channel of a recording as a recording of its own."""
    read = recording.read
    frames = recording.shape[2:]
    return replace(
        recording,
        shape=(len(recording), 1, *frames),
        read=lambda volume, channels: read(volume, tuple(channel for _ in channels)),
        roles=None if recording.roles is None else (recording.roles[channel],),
    )


def claim_folder(out: Path) -> None:
    """Make the folder, or clear it of what a killed run left; refuse one that holds anything else."""
    out.mkdir(parents=True, exist_ok=True)
    truth = out / "truth"
    entries = [path for path in out.iterdir() if path != truth]
    entries += list(truth.iterdir()) if truth.is_dir() else []
    foreign = [path.name for path in entries if not is_part(path)]
    if foreign or truth.is_file():
        found = foreign[0] if foreign else "truth"
        raise DataError(f"{out} is not empty (it holds {found}); name a new folder, or remove this one first")
    for path in entries:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _format_events(events: list[tuple[int, str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([("volume", "event"), *events])
    return text.getvalue()
