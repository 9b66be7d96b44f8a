"""The figures of one comparison, with where they come from."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cender.evaluate.axes import Axes
from cender.evaluate.breakdown import Tercile
from cender.evaluate.detection import Detection
from cender.evaluate.identity import Identity
from cender.evaluate.traces import TraceFigures

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where figures come from: data, what was compared with it, split, seed, preset and version.

    ``data`` and ``predicted`` are the sources of truth and prediction. ``volumes`` were compared, ``missing``
    of them have no prediction, ``incomplete`` of them are not completely annotated. ``renamed`` says whether
    predicted numbers were put into those of the truth first. None where the sources do not say.
    """

    data: str
    predicted: str
    split: str | None
    seed: str | None
    preset_hash: str | None
    version: str
    volumes: int
    missing: int
    incomplete: int
    first_volume: int | None
    last_volume: int | None
    renamed: bool


@dataclass(frozen=True, slots=True)
class Result:
    """All metrics of one recording, their counts, the errors behind them and their provenance."""

    detection_2d: Detection
    detection_3d: Detection
    centre: Detection
    axes: Axes
    identity: Identity
    traces: TraceFigures
    detection_errors: Mapping[str, int]
    identity_outcomes: Mapping[str, int]
    breakdown: tuple[Tercile, ...]
    provenance: Provenance

    def as_json(self) -> Json:
        """The figures under their public names, 0 to 1, null where undefined; the same for the same input."""
        return {
            "detection_2d": _show_detection(self.detection_2d),
            "detection_3d": _show_detection(self.detection_3d),
            "centre": _show_detection(self.centre),
            "axes": {"accuracy": self.axes.accuracy, "flagged": self.axes.flagged},
            "identity": {
                "accuracy": self.identity.accuracy,
                "accuracy_all": self.identity.accuracy_all,
                "worst_5pct": self.identity.worst_5pct,
                "recall_at_95_strict": self.identity.recall_at_95_strict,
                "calibration_error": self.identity.calibration_error,
                "kept": self.identity.kept,
            },
            "traces": {"correlation": self.traces.correlation, "complete": self.traces.complete},
            "errors": {"detection": dict(self.detection_errors), "identity": dict(self.identity_outcomes)},
            "breakdown": [
                {**asdict(tercile), "recall": tercile.recall, "accuracy": tercile.accuracy}
                for tercile in self.breakdown
            ],
            "counts": self._count(),
            "provenance": asdict(self.provenance),
        }

    def _count(self) -> Json:
        return {
            **{name: _count_detection(getattr(self, name)) for name in ("detection_2d", "detection_3d", "centre")},
            "axes": {
                "volumes": self.axes.volumes,
                "flagged": self.axes.flagged_count,
                "right": self.axes.right,
            },
            "identity": {
                "truth": self.identity.known,
                "knowable": self.identity.knowable,
                "given": self.identity.given,
                "right": self.identity.right,
            },
            "traces": {
                "varying": self.traces.varying,
                "identities": self.traces.identities,
                "complete": self.traces.complete_count,
            },
        }


def _show_detection(detection: Detection) -> Json:
    return {"precision": detection.precision, "recall": detection.recall, "f1": detection.f1}


def _count_detection(detection: Detection) -> Json:
    return {
        "truth": detection.truth,
        "matched": detection.matched,
        "predicted_judged": detection.judged,
        "predicted_right": detection.right,
    }
