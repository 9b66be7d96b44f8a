"""How fast recordings are drawn and read, and how much memory that takes."""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from cender.io import RecordingParams, open_recording, repeat_recording
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Recording

HELD = 2
"""Simulated volumes that a long recording repeats."""
DRAWN = 3
"""Volumes over which the time of the simulator is averaged."""
COMPARED = 10
"""Most volumes that are read again through a memory map, for comparison."""
OnVolume = Callable[[int, int], None]


def measure_peak_mb() -> float | None:
    """Most memory that this process has had resident so far, in MB; None where the system does not say."""
    if sys.platform == "win32":
        return _measure_windows_peak_mb()
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def measure_drawing() -> dict[str, float]:
    """Seconds that the simulator takes for a volume and for its truth."""
    simulation = simulate_recording(SimulateParams(seed=9000, volumes=DRAWN))
    volumes = range(len(simulation.recording))
    return {
        "draw_s_per_volume": _time(lambda: [simulation.recording.volume(v) for v in volumes]) / len(volumes),
        "truth_s_per_volume": _time(lambda: [simulation.annotate(v) for v in volumes]) / len(volumes),
    }


def measure_reading(recording: Recording, on_volume: OnVolume | None = None) -> dict[str, Any]:
    """Read every volume of a recording, one at a time: rate, time a volume, and most memory it took."""
    start = perf_counter()
    total = 0
    for index in range(len(recording)):
        total += int(recording.volume(index).data[0, 0, 0, 0])
        if on_volume is not None:
            on_volume(index + 1, len(recording))
    seconds = perf_counter() - start
    read_gb = len(recording) * recording.volume_bytes / 1e9
    return {
        "gigabytes": read_gb,
        "volumes": len(recording),
        "gb_per_s": read_gb / seconds,
        "ms_per_volume": 1e3 * seconds / len(recording),
        "peak_mb": measure_peak_mb(),
    }


def make_long_recording(gigabytes: float) -> Recording:
    """A recording of this size that repeats a few drawn volumes."""
    drawn = simulate_recording(SimulateParams(seed=9000, volumes=HELD)).recording
    return repeat_recording(drawn, max(1, round(gigabytes * 1e9 / drawn.volume_bytes)), HELD)


def measure_file(gigabytes: float, folder: Path | None = None, on_volume: OnVolume | None = None) -> dict[str, Any]:
    """Read a raw file of this size (a sparse one, which takes no room), beside `numpy.memmap`."""
    with tempfile.TemporaryDirectory(dir=folder) as room:
        path = Path(room) / "long.raw"
        frames, rows, columns = SimulateParams().shape
        # One sensor with both channels in its halves, two bytes per pixel.
        volume_bytes = 2 * frames * rows * 2 * columns
        volumes = max(1, round(gigabytes * 1e9 / volume_bytes))
        with path.open("wb") as file:
            file.truncate(volumes * volume_bytes)
        settings = RecordingParams(
            raw_shape=(rows, 2 * columns),
            frames_per_volume=frames,
            split="left-right",
            roles=("red", "green"),
        )
        recording = open_recording(path, settings)
        figures = measure_reading(recording, on_volume)
        return figures | _compare_with_memmap(recording, path, min(volumes, COMPARED))


def _compare_with_memmap(recording: Recording, path: Path, volumes: int) -> dict[str, float]:
    """Milliseconds per volume, read by us and copied out of the file by plain numpy, in turns and from warm pages."""
    ours = plain = 0.0

    def copy(index: int) -> None:
        start, pixels = index * recording.volume_bytes, recording.volume_bytes // 2
        np.array(np.memmap(path, np.uint16, "r", start, (pixels,)))

    for index in range(volumes):
        copy(index)
        ours += _time(partial(recording.volume, index))
        plain += _time(partial(copy, index))
    return {"warm_ms_per_volume": 1e3 * ours / volumes, "memmap_ms_per_volume": 1e3 * plain / volumes}


def _time(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _measure_windows_peak_mb() -> float | None:
    import ctypes
    from ctypes import wintypes

    class Counters(ctypes.Structure):
        _fields_ = [("cb", wintypes.DWORD), ("faults", wintypes.DWORD)] + [
            (name, ctypes.c_size_t) for name in ("peak", "now", "p1", "p2", "p3", "p4", "pagefile", "pagefile_peak")
        ]

    counters = Counters()
    counters.cb = ctypes.sizeof(counters)
    windows = ctypes.windll  # type: ignore[attr-defined]
    process = windows.kernel32.GetCurrentProcess()
    found = windows.psapi.GetProcessMemoryInfo(process, ctypes.byref(counters), counters.cb)
    return counters.peak / 1e6 if found else None
