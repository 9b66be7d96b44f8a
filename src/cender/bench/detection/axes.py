"""How often the worm's axes are right on simulated volumes, with ours and with the paper's algorithm."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, cast

import numpy as np

from cender import __version__
from cender.errors import UnusableVolume
from cender.pipeline.volumes.compass import load_compass
from cender.preprocess import PreprocessParams, find_head
from cender.preprocess.compass import Compass
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotation, Head, Volume

Method = Literal["default", "paper"]
METHODS: tuple[Method, ...] = ("default", "paper")
BINS = 10
"""Groups of equally many volumes, by confidence, in which claimed and actual accuracy are compared."""


@dataclass(frozen=True, slots=True)
class Case:
    """One volume, one method: what was found, how long it took, and what was true."""

    head: Head | None
    milliseconds: float
    truth: Annotation
    events: tuple[str, ...]
    flag_below: float

    @property
    def flagged(self) -> bool:
        """Whether a run would flag the volume; one without a head counts as flagged."""
        return self.head is None or self.head.quality < self.flag_below

    @property
    def right(self) -> bool:
        """Whether anterior and ventral both lie within 90° of the truth."""
        true = cast(Head, self.truth.head)
        return self.head is not None and bool(
            self.head.anterior_yx @ true.anterior_yx > 0 and self.head.ventral_yx @ true.ventral_yx > 0
        )

    @property
    def inside(self) -> tuple[int, int]:
        """True neurons whose boxes lie in the crop as a whole, and all of them."""
        regions = self.truth.regions
        if self.head is None:
            return 0, len(self.truth)
        x, y, w, h = regions.box_px.T
        crop = self.head.crop
        held = (x >= crop.x) & (y >= crop.y) & (x + w <= crop.x + crop.w) & (y + h <= crop.y + crop.h)
        lost = np.unique(regions.neuron[~held])
        return len(self.truth) - len(lost), len(self.truth)


def measure_axes(
    preset: Literal["easy", "typical", "hard"],
    seeds: Sequence[int],
    volumes: int,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, Any]:
    """Figures of both methods on the same volumes, each volume alone.

    Parameters
    ----------
    preset
        Of the simulator.
    seeds
        One simulated animal each; those from 9000 on are for this.
    volumes
        Taken evenly from 30 s of each animal.
    clock
        Seconds that both are timed with.

    Returns
    -------
    dict
        ``preset``, its hash, seeds, version, and by method: ``accuracy`` (both directions within 90°, over volumes
        not flagged), ``flagged``, ``accuracy_all``, ``inside`` (share of true neurons in the crop), ``crop_share``,
        ``calibration_error``, ``angle_deg`` and ``ms_per_volume`` (medians), ``flagged_by_event``.
    """
    cases: dict[Method, list[Case]] = {method: [] for method in METHODS}
    params = SimulateParams(preset=preset, volumes=150)
    compass = load_compass()
    for seed in seeds:
        simulation = simulate_recording(params.model_copy(update={"seed": seed}))
        for index in np.linspace(2, params.volumes - 3, volumes).astype(int):
            volume = simulation.recording.volume(int(index), (0,))
            truth = simulation.annotate(int(index))
            for method in METHODS:
                cases[method].append(_try(volume, (truth, simulation.events(int(index))), method, compass, clock))
    frame = params.shape[1] * params.shape[2]
    return {
        "preset": preset,
        "preset_hash": params.hash,
        "seeds": list(seeds),
        "volumes": volumes * len(seeds),
        "version": __version__,
        "methods": {method: _sum_up(found, frame) for method, found in cases.items()},
    }


def _try(
    volume: Volume,
    known: tuple[Annotation, tuple[str, ...]],
    method: Method,
    compass: Compass,
    clock: Callable[[], float],
) -> Case:
    params = PreprocessParams(method=method)
    red = volume.data[0]
    begin = clock()
    try:
        head = find_head(red, volume.stack.voxel_um, compass, params)
    except UnusableVolume:
        head = None
    return Case(head, 1e3 * (clock() - begin), *known, params.flag_below)


def _sum_up(cases: Sequence[Case], frame_px: int) -> dict[str, Any]:
    trusted = [case for case in cases if not case.flagged]
    held = np.array([case.inside for case in cases]).sum(0)
    found = [case for case in cases if case.head is not None]
    angles = [_angle_deg(case) for case in trusted]
    kinds = ("deep bend", "omega turn", "twist", "defocus")
    return {
        "accuracy": _share(case.right for case in trusted),
        "flagged": 1 - len(trusted) / len(cases),
        "accuracy_all": _share(case.right for case in cases),
        "inside": float(held[0] / max(held[1], 1)),
        "crop_share": float(np.mean([c.head.crop.w * c.head.crop.h / frame_px for c in found if c.head])),
        "calibration_error": _calibration_error(found),
        "angle_deg": float(np.median(angles)) if angles else None,
        "ms_per_volume": float(np.median([case.milliseconds for case in cases])),
        "flagged_by_event": {kind: _share(case.flagged for case in cases if kind in case.events) for kind in kinds},
        "flagged_without_event": _share(case.flagged for case in cases if not case.events),
    }


def _share(answers: Iterable[bool]) -> float | None:
    given = list(answers)
    return float(np.mean(given)) if given else None


def _angle_deg(case: Case) -> float:
    true, found = cast(Head, case.truth.head), cast(Head, case.head)
    return float(np.rad2deg(np.arccos(np.clip(found.anterior_yx @ true.anterior_yx, -1, 1))))


def _calibration_error(cases: Sequence[Case]) -> float | None:
    """Mean difference between confidence and share of right axes, over bins of equal count."""
    if not cases:
        return None
    confidence = np.array([cast(Head, case.head).confidence for case in cases])
    right = np.array([case.right for case in cases], float)
    parts = np.array_split(np.argsort(confidence, kind="stable"), min(BINS, len(cases)))
    return float(sum(abs(confidence[p].mean() - right[p].mean()) * len(p) for p in parts) / len(cases))
