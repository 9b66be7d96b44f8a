"""Figures that the paper prints, its own and those of other methods (doi 10.1371/journal.pcbi.1010594)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tracking:
    """A row of the paper's table of tracking methods; accuracy in percent, seconds per volume."""

    method: str
    test: str
    accuracy: float
    training: str
    volumes: str
    training_time: str
    inference_s: str
    task: str = "within"


@dataclass(frozen=True, slots=True)
class Found:
    """A row of the paper's table of detection: precision, recall and F1 in percent, milliseconds per volume."""

    task: str
    anchors: str
    c1: tuple[float, float, float]
    c2_c3: tuple[float, float, float]
    training: str
    ms: int


TRACKING = (
    Tracking("CeNDeR", "C1", 95.48, "C1", "130", "10 min", "0.02"),
    Tracking("CeNDeR", "C1", 88.25, "C1", "30", "6 min", "0.02"),
    Tracking("CeNDeR", "NeRVE", 86.51, "NeRVE", "130", "9 min", "0.01"),
    Tracking("CeNDeR", "NeRVE", 84.10, "NeRVE", "80", "–", "–"),
    Tracking("NeRVE(1)", "NeRVE", 73.1, "NeRVE", "1", "–", "10"),
    Tracking("NeRVE(100)", "NeRVE", 82.9, "NeRVE", "100", "–", "> 10"),
    Tracking("3DeeCellTracker, single", "straightened NeRVE, first 300", 73.0, "NeRVE + synthetic", "1", "–", "≤ 73"),
    Tracking("3DeeCellTracker, ensemble", "straightened NeRVE, first 300", 99.8, "NeRVE + synthetic", "1", "–", "≤ 86"),
    Tracking("CeNDeR", "C2/C3", 66.70, "C1", "130", "10 min", "0.02", "across"),
    Tracking("CeNDeR", "C1/C2/C3", 39.93, "NeRVE", "130", "9 min", "0.01", "across"),
    Tracking("fDNC", "C1/C2/C3", 41.51, "synthetic", "268,000", "12 h", "0.01", "across"),
    Tracking("CeNDeR", "NeRVE", 50.08, "C1", "130", "10 min", "0.02", "across"),
    Tracking("fDNC", "NeRVE", 79.28, "synthetic", "268,000", "12 h", "0.01", "across"),
)
"""Rows of the paper's table of tracking and recognition."""
DETECTION = (
    Found("regions in frames", "9", (90.67, 94.91, 92.74), (90.43, 94.85, 92.58), "4.5 h", 556),
    Found("regions in frames", "7, 11", (90.58, 95.78, 93.11), (89.93, 96.39, 93.05), "8 h", 1087),
    Found("neurons of human boxes", "–", (98.54, 85.82, 91.74), (95.48, 91.68, 93.53), "–", 43),
    Found("neurons of detected boxes", "9", (84.31, 82.87, 83.58), (84.58, 86.89, 85.72), "–", 50),
    Found("neurons of detected boxes", "7, 11", (85.91, 84.09, 84.99), (86.24, 88.52, 87.36), "–", 54),
)
"""Rows of the paper's table of detection."""
# Table 6: seconds per volume, detection and tracking together.
PIPELINES = {
    "3DeeCellTracker, ensemble": 86.0,
    "3DeeCellTracker, single": 73.0,
    "NeRVE": 48.0,
    "CeNDeR; on an RTX 3090 and 24 cores, loading and saving excluded": 0.8,
}
# Table S2: neighbours and density from neurons ("objects") or from boxes ("regions"); percent on C1, C2/C3, NeRVE and
# the NeuroPAL strains of Yu and of Chaudhary, with a model of C1.
FEATURES: dict[tuple[str, str], tuple[float, float, float, str, str]] = {
    ("objects", "regions"): (95.48, 66.70, 50.08, "27.79 ± 1.11", "42.97 ± 2.35"),
    ("objects", "objects"): (95.12, 61.22, 50.44, "26.25 ± 3.57", "40.47 ± 2.64"),
    ("regions", "regions"): (95.59, 60.54, 49.69, "25.23 ± 4.98", "37.75 ± 3.75"),
    ("regions", "objects"): (95.00, 54.29, 49.32, "24.82 ± 4.90", "36.39 ± 3.15"),
}
# Table 1: animal, volumes, for training, validation and test, labelled and tracked neurons per volume.
OWN_ANIMALS = (
    ("C1", 350, "n", "20", "350 - (n + 20)", 161, 161),
    ("C2", 30, "0", "0", "30", 142, 142),
    ("C3", 30, "0", "0", "30", 137, 137),
)
# Table 2: data, state, kind of identity, animals, volumes, labelled and tracked neurons per volume, strain.
DATASETS = (
    ("CeNDeR", "freely moving", "digital", 3, 410, 158, 158, "ZM9644"),
    ("NeRVE", "freely moving", "digital", 1, 1372, 69, 118, "AML32"),
    ("NeuroPAL Yu", "immobile", "cell type", 11, 11, 58, 134, "AML320"),
    ("NeuroPAL Chaudhary", "immobile", "cell type", 9, 9, 64, 119, "OH15495"),
)
# Table 5: method, percent on NeuroPAL Yu and Chaudhary, training data and volumes, training time, seconds per volume.
CELL_TYPES = (
    ("CeNDeR", "27.79 ± 1.11", "42.97 ± 2.35", "C1", "130", "10 min", "0.02"),
    ("CeNDeR", "27.22 ± 1.35", "39.82 ± 0.64", "NeRVE", "130", "9 min", "0.02"),
    ("CRF (open atlas)", "–", "40", "synthetic", "–", "–", "–"),
    ("CRF (data-driven atlas)", "–", "74", "synthetic", "–", "–", "–"),
    ("fDNC", "57.84 ± 4.26", "75.65 ± 3.15", "synthetic", "268,000", "12 h", "0.01"),
)
# Table S1: training data, neighbours, density, k, q, s, d, m1, m2, m3, N, models.
HYPERPARAMETERS = (
    ("C1", "objects", "regions", 25, 20, 32, 56, 1.05, 0.0, 0.05, "163 + 1", "M1, M2"),
    ("NeRVE", "objects", "objects", 25, 10, 32, 56, 1.05, 0.0, 0.0, "73 + 1", "M3"),
)
# What a curve of accuracy over annotated volumes is drawn with, by data: label, volumes, accuracy between 0 and 1.
NERVE_POINTS = (
    ("CeNDeR, published", 80, 0.8410),
    ("CeNDeR, published", 130, 0.8651),
    ("NeRVE(1), published", 1, 0.731),
    ("NeRVE(100), published", 100, 0.829),
)
OWN_POINTS = (("CeNDeR on its own C1, published", 30, 0.8825), ("CeNDeR on its own C1, published", 130, 0.9548))
"""Accuracy on its own animal that the paper reports: what, volumes learnt from, accuracy."""


def list_published(data: str) -> tuple[tuple[str, int, float], ...]:
    """Published points to put beside figures on this data: those on NeRVE, else those on the paper's own animal."""
    return NERVE_POINTS if "nerve" in data.lower() else OWN_POINTS
