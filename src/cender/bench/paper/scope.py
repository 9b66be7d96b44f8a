"""How much is measured for the paper's tables, and on which data."""

from dataclasses import dataclass
from typing import Literal

POINTS_FILE, HEADS_FILE = "nerve.npz", "wormnd.csv.gz"
POINTS_RATE_HZ = 6.0
"""Volumes per second of the NeRVE recording, which its file does not say."""
# Animals of the lab whose heads the paper calls NeuroPAL Chaudhary.
CHAUDHARY = "HL"
OWN = ("C1", "C2", "C3")
"""Truth folders of the paper's own animals, beside the other data."""
# Animals whose figures of detection the paper prints together.
OWN_GROUPS = {"C1": ("C1",), "C2/C3": ("C2", "C3")}
PRESET: Literal["typical"] = "typical"
"""Preset of the simulated animals in the tables."""
# Ends of the keys of the paper's detector with its other anchors, in the heads that its own stage 1 finds, and of both
# detectors in heads that people drew.
PAIR, OWN_STAGE_1, DRAWN = ", 7 and 11", ", own stage 1", ", proofread heads"


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is measured: a look at every table, or all that can be.

    ``train`` is the number of annotated volumes of simulated animals, ``at_most`` that of volumes to test ours and
    models of other animals on, ``length`` that of volumes of a simulated animal, ``pictured`` that of images of
    the authors in each row (None: all).
    """

    repeats: int
    train: int
    at_most: int | None
    animals: int
    volumes: int
    length: int
    pictured: int | None
    full: bool


QUICK = Scope(1, 5, 40, 2, 1, 60, 4, full=False)
"""What the quick form of the tables measures."""
FULL = Scope(3, 30, None, 8, 2, 200, None, full=True)
"""What the full form measures."""
