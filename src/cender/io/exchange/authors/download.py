"""The authors' downloaded data as truth folders: ``python -m cender.io.exchange.authors.download FOLDER OUT``."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cender.errors import DataError
from cender.io.exchange.authors.boxes import load_neuron_boxes, measure_boxes
from cender.io.exchange.authors.heads import load_head
from cender.io.exchange.authors.layout import ANIMALS, RATE_HZ, VOXEL_UM, Stack, build_volume, read_stack_name
from cender.io.results.truth.writer import TruthWriter
from cender.types import Annotation


def find_labels(folder: Path) -> list[tuple[Stack, Path]]:
    """MATLAB files with labels in a folder, in the order in which their volumes are counted."""
    named = [(stack, path) for path in folder.rglob("*.mat") if (stack := read_stack_name(path))]
    boxed = [(stack, path) for stack, path in named if measure_boxes(path) is not None]
    return sorted(boxed, key=lambda one: (one[0].animal, one[0].number, one[1]))


def load_animals(folder: Path) -> dict[str, list[Annotation]]:
    """All volumes of a downloaded folder by animal (C1, C2, C3): MATLAB labels, with proofread heads where drawn.

    The stacks of an animal follow each other in the order of their numbers.
    """
    boxed = find_labels(folder)
    if not boxed:
        raise DataError(
            f"{folder}: expected MATLAB files with neuron_boxes named as the authors name them "
            "(…ImgStk001_dk001_{w6_Dt210514…), found none"
        )
    heads = _find_heads(folder)
    animals: dict[str, list[Annotation]] = {}
    for stack, path in boxed:
        known = animals.setdefault(stack.animal, [])
        first = len(known)
        for index, boxes in sorted(load_neuron_boxes(path).items()):
            volume = build_volume(first + index, boxes, path)
            drawn = heads.get((stack.name, index))
            known.append(replace(volume, head=None if drawn is None else load_head(drawn)))
    return animals


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


def _find_heads(folder: Path) -> dict[tuple[str, int], Path]:
    found = {}
    for path in folder.rglob("*.json"):
        stack = read_stack_name(path.parent)
        if stack is not None and path.stem.isdigit():
            found[stack.name, int(path.stem)] = path
    return found


def main(words: Sequence[str] | None = None) -> None:
    """Convert a downloaded folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="the downloaded folder, with MATLAB labels and labelme heads")
    parser.add_argument("out", type=Path, help="where the truth folders C1, C2 and C3 go")
    chosen = parser.parse_args(words)
    convert_authors(chosen.folder, chosen.out)


if __name__ == "__main__":
    main()
