"""How far the neurons of heads spread."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

# A few neurons that a person annotated may all lie in one corner of the head.
FEWEST = 50


def measure_spread(clouds_um: Iterable[Float[np.ndarray, "_ 3"]]) -> Float[np.ndarray, " 2"] | None:
    """Typical extent along z and in the plane in micrometres, None where there are too few neurons to know."""
    sizes = []
    for cloud in clouds_um:
        if len(cloud) >= FEWEST:
            centred = cloud - np.median(cloud, axis=0)
            away = np.stack([np.abs(centred[:, 0]), np.linalg.norm(centred[:, 1:], axis=1)])
            sizes.append(2 * np.percentile(away, 80, axis=1))
    return np.median(sizes, axis=0) if sizes else None
