"""Kinetics of activity: how long it lasts, how much neurons share, how lopsided it is."""

import numpy as np
from jaxtyping import Float

LAGS_S = (0.6, 3.0, 6.0, 18.0, 60.0)
"""Time lags at which traces are correlated with themselves."""
COMPONENTS = (1, 3, 10)
"""Numbers of principal components whose share of the variance is compared."""


def measure_kinetics(traces: Float[np.ndarray, "t n"], step_s: float) -> dict[str, float]:
    """Medians over neurons of autocorrelation and skewness, and variance shared by the first components.

    A trace that never changes has neither and is left out.
    """
    moving = traces[:, traces.std(0) > 1e-6].astype(float)
    scaled = (moving - moving.mean(0)) / moving.std(0)
    figures = {}
    for lag_s in LAGS_S:
        lag = round(lag_s / step_s)
        figures[f"autocorrelation at {lag_s:g} s"] = float(np.median((scaled[lag:] * scaled[:-lag]).mean(0)))
    variance = np.linalg.svd(scaled, compute_uv=False) ** 2
    for count in COMPONENTS:
        figures[f"variance in {count} components"] = float(variance[:count].sum() / variance.sum())
    figures["skewness"] = float(np.median((scaled**3).mean(0)))
    return figures
