"""Which volumes of a recording a run covers."""

import math

from cender.errors import ConfigError
from cender.io.results.params import RunParams, parse_range
from cender.types import Recording


def choose_volumes(recording: Recording, params: RunParams) -> list[int]:
    """Volumes in ``run.volumes`` whose time is in none of the ranges of ``run.exclude``.

    Raises
    ------
    ConfigError
        None is left, or times are excluded from a recording that has none.
    """
    first, stop = (None, None) if params.volumes is None else parse_range(params.volumes, int)
    low, high = int(first or 0), len(recording) if stop is None else min(int(stop), len(recording))
    excluded = [parse_range(text, float) for text in params.exclude]
    if excluded and math.isnan(recording.time_s(0)):
        raise ConfigError(
            f"run.exclude gives seconds, but {recording.source} says neither times nor rate; give "
            "--set recording.rate_hz=VOLUMES_PER_SECOND"
        )
    chosen = [
        volume
        for volume in range(low, high)
        if not any((a or 0) <= recording.time_s(volume) < (math.inf if b is None else b) for a, b in excluded)
    ]
    if not chosen:
        said = [f"run.volumes = {params.volumes}"] * (params.volumes is not None)
        said += [f"run.exclude = {', '.join(params.exclude)}"] * bool(excluded)
        raise ConfigError(
            f"{' and '.join(said) or 'the recording'} leaves no volume: {recording.source} has volumes 0 to "
            f"{len(recording) - 1}"
        )
    return chosen
