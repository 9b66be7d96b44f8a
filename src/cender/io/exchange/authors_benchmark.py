"""The authors' benchmark file behind ``cender import``: boxes of many volumes with their identities, as JSON."""

import re
from pathlib import Path

from cender.errors import DataError
from cender.io.exchange.authors import build_volume, load_benchmark
from cender.io.exchange.authors_formats import gather_volumes
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings

_VOLUME = re.compile(r"^(.*)_(\d+)$")


def load_benchmark_file(path: Path, around: Surroundings) -> Incoming:
    """All volumes of a benchmark file of one stack, numbered as their names end (``…_000`` is volume 0)."""
    volumes, stacks = [], set()
    for name, boxes in load_benchmark(path).items():
        found = _VOLUME.match(name)
        if found is None:
            raise DataError(f"{path}: expected volumes named as their stack and a number (…_000), found {name!r}")
        stacks.add(found[1])
        volumes.append(build_volume(int(found[2]), boxes, path))
    if len(stacks) > 1:
        listed = ", ".join(sorted(stacks)[:3])
        raise DataError(
            f"{path}: expected the volumes of one recording, found those of {len(stacks)} stacks ({listed}); split the "
            "file, or make truth folders of the whole download (`python -m cender.io.exchange.authors_truth`)"
        )
    return gather_volumes(path, volumes, around)


BENCHMARK = ExchangeFormat(
    name="authors-benchmark",
    title="benchmark file of the paper's authors, JSON: volume, identity, boxes",
    keeps=("centres", "boxes", "identities"),
    recognize=lambda path: path.suffix == ".json" and "bench" in path.stem.lower(),
    load=load_benchmark_file,
)
