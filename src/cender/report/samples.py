"""Volumes to show as pictures: the surest, the least sure and one that was flagged."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped

from cender.io.recordings.reach import reach_recording
from cender.plots.report.frames import Sample
from cender.report.channels import Seen, read_channels
from cender.report.folder import Gap, RunFacts, VolumeColumns
from cender.report.presence import Presence
from cender.types import Crop, Head, Regions

PIXELS = "pictures of the recording"
"""What the report lacks where the recording is not at hand."""


def choose_samples(volumes: VolumeColumns, presence: Presence) -> list[tuple[int, str]]:
    """Rows of the volumes to show, each with what it stands for, in the order of the recording.

    Only volumes with neurons are shown. Without probabilities the middle of the recording stands for all.
    """
    shown = presence.found > 0
    ok = shown & np.array([status == "ok" for status in volumes.status], bool)
    flagged = shown & np.array([status == "flagged" for status in volumes.status], bool)
    chosen: dict[int, str] = {}
    scored = np.flatnonzero(ok & np.isfinite(presence.probability))
    if len(scored):
        ranked = scored[np.argsort(_score(presence)[scored], kind="stable")]
        chosen[int(ranked[-1])] = "the surest"
        chosen.setdefault(int(ranked[0]), "the least sure")
    elif ok.any():
        rows = np.flatnonzero(ok)
        chosen[int(rows[len(rows) // 2])] = "from the middle"
    if flagged.any():
        rows = np.flatnonzero(flagged)
        chosen.setdefault(int(rows[len(rows) // 2]), "flagged")
    return sorted(chosen.items())


def gather_samples(facts: RunFacts, presence: Presence) -> tuple[list[Sample], list[Gap]]:
    """The volumes to show with what was found in them, and why pixels are missing where they are."""
    volumes, neurons = facts.volumes, facts.neurons
    if volumes is None or neurons is None:
        return [], []
    recording, why = reach_recording(facts.settings, facts.run.path)
    remedy = "put it where it was, or correct run.toml"
    samples, gaps = [], [] if recording is not None else [Gap(PIXELS, why, remedy)]
    for row, what in choose_samples(volumes, presence):
        volume = int(volumes.volume[row])
        seen = Seen() if recording is None else read_channels(recording, volume, facts.settings)
        if seen.problem is not None:
            gaps.append(Gap(f"picture of volume {volume}", seen.problem))
        mine = np.flatnonzero(neurons.volume == volume)
        mine = mine[np.argsort(neurons.neuron[mine])]
        centre = neurons.centre_px[mine]
        time = "" if np.isnan(volumes.time_s[row]) else f" at {volumes.time_s[row]:.1f} s"
        samples.append(
            Sample(
                f"Volume {volume}{time}: {what}",
                _choose_crop(volumes.head[row], centre, seen.red),
                centre,
                neurons.identity[mine],
                _read_regions(facts, volume, neurons.neuron[mine]),
                neurons.probability[mine],
                seen.red,
                seen.green,
                find_pixel_um(facts.settings),
                volume,
            )
        )
    return samples, gaps


def find_pixel_um(settings: Mapping[str, Any]) -> float | None:
    """Size of a pixel, where the run knows the voxel size."""
    voxel = settings.get("recording", {}).get("voxel_um")
    return float(voxel[2]) if isinstance(voxel, list | tuple) and len(voxel) == 3 else None


def _score(presence: Presence) -> Float[np.ndarray, " n"]:
    """Expected share of the neurons of a volume that are rightly named."""
    return np.asarray(np.nan_to_num(presence.probability) * presence.recognized / np.maximum(presence.found, 1))


def _choose_crop(
    head: Head | None, centre_px: Float[np.ndarray, "m 3"], red: Shaped[np.ndarray, "z y x"] | None
) -> Crop:
    """The head's crop, else a box around its neurons; inside the picture where there is one."""
    crop = head.crop if head is not None else Crop(0, 0, 0, 0)
    if crop.w <= 0 or crop.h <= 0:
        top, left = np.floor(centre_px[:, 1:].min(axis=0)).astype(int) - 12
        bottom, right = np.ceil(centre_px[:, 1:].max(axis=0)).astype(int) + 12
        crop = Crop(int(left), int(top), int(right - left) + 1, int(bottom - top) + 1)
    if red is None:
        return crop
    x, y = max(crop.x, 0), max(crop.y, 0)
    w, h = min(crop.x + crop.w, red.shape[2]) - x, min(crop.y + crop.h, red.shape[1]) - y
    return Crop(x, y, w, h) if w > 0 and h > 0 else Crop(0, 0, red.shape[2], red.shape[1])


def _read_regions(facts: RunFacts, volume: int, labels: Int[np.ndarray, " m"]) -> Regions:
    """Boxes of one volume; none where the table is not there or does not fit the neurons."""
    if facts.regions is None:
        return Regions.empty()
    table = facts.regions.filter(facts.regions["volume"] == volume)
    neuron = table["neuron"].to_numpy()
    inside = np.isin(neuron, labels)
    rows = np.searchsorted(labels, neuron[inside])
    boxes = table.select("x", "y", "w", "h").to_numpy().astype(float)[inside]
    return Regions.from_boxes(table["z"].to_numpy()[inside], boxes, neuron=rows)
