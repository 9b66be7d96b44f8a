"""The authors' benchmark file: boxes of many volumes with their identities, as JSON."""

import re
from pathlib import Path

from cender.errors import DataError
from cender.io.exchange.authors.layout import (
    Box,
    build_volume,
    expect_boxes,
    expect_mapping,
    gather_volumes,
    load_mapping,
)
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings

_VOLUME = re.compile(r"^(.*)_(\d{1,9})$")


def load_benchmark(path: Path) -> dict[str, list[Box]]:
    """Boxes by the name of the volume: ``{volume: {identity: [[z, x0, y0, x1, y1, inlier]]}}``."""
    return {
        str(volume): [
            (int(z), float(x0), float(y0), float(x1 - x0), float(y1 - y0), int(identity))
            for identity, boxes in expect_mapping(neurons, path).items()
            for z, x0, y0, x1, y1, *_ in expect_boxes(boxes, path, 5)
        ]
        for volume, neurons in load_mapping(path).items()
    }


def load_benchmark_file(path: Path, around: Surroundings) -> Incoming:
    """All volumes of a benchmark file of one stack, numbered as their names end (``…_000`` is volume 0)."""
    volumes, stacks = [], set()
    for name, boxes in load_benchmark(path).items():
        found = _VOLUME.match(name)
        if found is None:
            raise DataError(f"{path}: expected volumes named as their stack and a number (…_000), found {name[:60]!r}")
        stacks.add(found[1])
        volumes.append(build_volume(int(found[2]), boxes, path))
    if len(stacks) > 1:
        listed = ", ".join(sorted(stacks)[:3])
        raise DataError(
            f"{path}: expected the volumes of one recording, found those of {len(stacks)} stacks ({listed}); split the "
            "file, or make truth folders of the whole download (`python -m cender.io.exchange.authors.download`)"
        )
    return gather_volumes(path, volumes, around)


BENCHMARK = ExchangeFormat(
    name="authors-benchmark",
    title="benchmark file of the paper's authors, JSON: volume, identity, boxes",
    keeps=("centres", "boxes", "identities"),
    recognize=lambda path: path.suffix == ".json" and "bench" in path.stem.lower(),
    load=load_benchmark_file,
)
