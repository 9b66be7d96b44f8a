"""One recording as a benchmark of identities has it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from cender.types import Annotation, Annotations


@dataclass(frozen=True, slots=True)
class Subject:
    """One recording as a benchmark has it.

    ``truth`` is what predictions are compared with. ``seen`` is what a recognizer gets of every volume, without
    identities; a volume in which nothing was found is not there. ``taught`` has the same rows with the identities
    that an annotator would put on them. ``time_s`` is empty where times are not known.
    """

    truth: Annotations
    seen: Mapping[int, Annotation]
    taught: Mapping[int, Annotation]
    time_s: Mapping[int, float]


def get_times(truth: Annotations) -> dict[int, float]:
    """Time of every volume in seconds: its own, else its index over the rate; empty where neither is known."""
    if all(volume in truth.time_s for volume in truth.annotations):
        return dict(truth.time_s)
    if truth.rate_hz is None:
        return {}
    return {volume: volume / truth.rate_hz for volume in truth.annotations}


def hide_identities(annotation: Annotation) -> Annotation:
    """The same neurons, none of them known."""
    count = len(annotation)
    return replace(annotation, identity=np.full(count, -1), probability=np.zeros(count))
