"""The authors' downloaded data as truth folders: ``python -m cender.io.exchange.authors_truth FOLDER OUT``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from cender.io.exchange.authors import ANIMALS, RATE_HZ, VOXEL_UM, find_labels, load_animals
from cender.io.results.truth.writer import TruthWriter


def convert_authors(folder: Path, out: Path) -> dict[str, int]:
    """Write one truth folder for each animal (OUT/C1, OUT/C2, OUT/C3) and return how many volumes each has.

    Everything is read and checked before the first folder is written.
    """
    animals = load_animals(folder)
    for name, volumes in animals.items():
        source = {"source": "the paper's authors, OSF v2b5n", "animal": name}
        with TruthWriter(out / name, voxel_um=VOXEL_UM, rate_hz=RATE_HZ, provenance=source) as truth:
            for volume in volumes:
                truth.add(volume)
    return {name: len(volumes) for name, volumes in animals.items()}


def prepare_authors(folder: Path) -> dict[str, int]:
    """Write truth folders into a folder of the authors' data that has none yet; nothing happens to other folders."""
    if any((folder / name / "truth.toml").is_file() for name in ANIMALS.values()) or not find_labels(folder):
        return {}
    return convert_authors(folder, folder)


def main(words: Sequence[str] | None = None) -> None:
    """Convert a downloaded folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="the downloaded folder, with MATLAB labels and labelme heads")
    parser.add_argument("out", type=Path, help="where the truth folders C1, C2 and C3 go")
    chosen = parser.parse_args(words)
    convert_authors(chosen.folder, chosen.out)


if __name__ == "__main__":
    main()
