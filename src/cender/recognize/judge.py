"""Whether the identities of a volume can be trusted as a whole."""

import numpy as np

from cender.types import Identities


def measure_quality(identities: Identities) -> float:
    """Mean probability of the identities that were given in a volume; 0 where there are none."""
    given = identities.identity >= 0
    return float(np.mean(identities.probability[given])) if given.any() else 0.0


def judge_volume(identities: Identities, flag_below: float) -> str | None:
    """Why the identities of a volume are doubtful as a whole; None where they are not.

    A head seen from its other side, a mirror image or another head altogether leaves all identities improbable, though
    single neurons may fit by chance.
    """
    if not len(identities):
        return None
    if not (identities.identity >= 0).any():
        return f"none of {len(identities)} neurons was recognized"
    quality = measure_quality(identities)
    if quality >= flag_below:
        return None
    return (
        f"identities are unsure: mean probability {quality:.2f}, expected at least {flag_below:.2f}; "
        "the head may lie on its other side, be mirrored, or be another one"
    )
