"""Pictures of what a benchmark of identities measured."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cender.bench.identity.measure import Measurement
from cender.bench.paper.published import list_published
from cender.plots.identity import Curve, Published, draw_curves, draw_over_time, draw_reliability, draw_violins
from cender.plots.style import save_figure
from cender.types.words import say_count


def draw_measurements(measurements: Sequence[Measurement], folder: Path, timed: bool) -> list[Path]:
    """Pictures of these measurements as PNG, and their paths.

    Parameters
    ----------
    timed
        Whether volumes have times; else their index is drawn.
    """
    written = []
    across = [one for one in measurements if one.split == "animals"]
    within = [one for one in measurements if one.split != "animals"]
    if within:
        data = within[0].data
        points = [Published(*point) for point in list_published(data)]
        figure = draw_curves(gather_curves(within), points, shorten_source(data))
        written.append(_save(figure, folder / "identity-volumes.png"))
    if across:
        groups = {
            f"{one.method}, {one.train}": np.concatenate([repeat.volume_accuracy for repeat in one.repeats])
            for one in across
        }
        figure = draw_violins(groups, "another animal, from one template volume")
        written.append(_save(figure, folder / "identity-animals.png"))
    last = _keep_largest(measurements)
    runs = {name_measurement(one): one.repeats[0] for one in last}
    over_time = {label: (run.volume_time_s, run.volume_accuracy) for label, run in runs.items()}
    blocks = {label: run.split.block_s for label, run in runs.items() if run.split.block_s is not None}
    figure = draw_over_time(over_time, "time, s" if timed else "volume", blocks)
    written.append(_save(figure, folder / "identity-time.png"))
    given = {label: (run.probability, run.right) for label, run in runs.items()}
    written.append(_save(draw_reliability(given), folder / "identity-reliability.png"))
    return written


def gather_curves(measurements: Sequence[Measurement]) -> list[Curve]:
    """One curve per method and split; a point without annotation has no split and is in all curves of its method."""
    curves = []
    kinds = dict.fromkeys((one.method, one.split) for one in measurements if one.split != "none")
    for method, split in kinds or dict.fromkeys((one.method, one.split) for one in measurements):
        mine = [one for one in measurements if one.method == method and one.split in (split, "none")]
        by_count = {one.train: one for one in mine if one.average("accuracy") is not None}
        counts = tuple(sorted(by_count))
        accuracy = tuple(by_count[count].average("accuracy") or 0.0 for count in counts)
        spread = tuple(float(by_count[count].spread("accuracy") or "nan") for count in counts)
        curves.append(Curve(method, split, counts, accuracy, spread))
    return curves


def _keep_largest(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Of every method and split the one with the most annotated volumes."""
    largest: dict[tuple[str, str], Measurement] = {}
    for one in sorted(measurements, key=lambda one: one.train):
        largest[one.method, one.split] = one
    named = {key: one for key, one in largest.items() if key[1] != "none"}
    return list((named or largest).values())


def name_measurement(one: Measurement) -> str:
    """Method, number of annotated volumes and split in words."""
    volumes = say_count(one.train, "volume")
    return f"{one.method}, {volumes}" + ("" if one.split == "none" else f", {one.split}")


def shorten_source(data: str) -> str:
    """Name of a data set without the folder that it lies in."""
    return data if data.startswith("simulated") else Path(data).name


def _save(figure: Any, path: Path) -> Path:
    save_figure(figure, path)
    return path
