"""Recall on real heads with annotated centres: with the shipped weights, and after learning from two of them."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from cender.config import Config
from cender.detect.network import find_grids
from cender.detect.normalise import Grids, is_usual
from cender.errors import DataError
from cender.evaluate.match import match_centres
from cender.nets.scoring import build_score
from cender.pipeline.learn.learning import draw_replay
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector, shipped_detector
from cender.pipeline.volumes.volume import annotate_outcome, process_volume
from cender.training.detector.partial import complete_sample
from cender.training.detector.samples import Sample, crop_around, make_sample
from cender.training.detector.train import train_detector
from cender.types import Annotation, Crop, Volume, VoxelSize, Weights

Head = tuple[Volume, Annotation]


def load_heads(folder: Path) -> dict[str, Head]:
    """The real heads of a data folder, by name: stacks and annotated centres (not all nuclei are marked)."""
    found: dict[str, Head] = {}
    for path in sorted(folder.glob("neuropal_head*.npz")):
        with np.load(path) as stored:
            voxel = VoxelSize(*(float(size) for size in stored["voxel_um_zyx"]))
            points = stored["points_zyx"].astype(float) * np.array(voxel)
            volume = Volume(0, 0.0, stored["volume"][None], voxel, ("red",))
        found[path.stem] = volume, Annotation.from_points(0, points)
    if not found:
        raise DataError(f"{folder}: expected neuropal_head_*.npz, found none")
    return found


def measure_heads(folder: Path, config: Config, on_pair: Callable[[str], None] = lambda name: None) -> dict[str, Any]:
    """Recall within 2 µm and detections a point: zero-shot on every head, then on the others after every pair."""
    heads = load_heads(folder)
    shipped = shipped_detector(all(_is_usual(volume) for volume, _ in heads.values()))
    zero = {name: _recall(head, shipped, config) for name, head in heads.items()}
    grids = find_grids(shipped)
    samples = _make_samples(heads, shipped, grids)
    tuned: dict[str, dict[str, tuple[float, float]]] = {}
    for pair in combinations(heads, 2):
        replay = draw_replay(heads[pair[0]][0].stack, config.train.replay, grids)
        weights, _ = train_detector([samples[name] for name in pair], config.train, start=shipped, replay=replay)
        tuned[" + ".join(pair)] = {
            name: _recall(head, weights, config) for name, head in heads.items() if name not in pair
        }
        on_pair(" + ".join(pair))
    return {
        "data": "real heads with annotated centres, recall within 2 µm",
        "zero_shot": {"mean": _mean(zero.values()), "heads": zero},
        "fine_tuned_on_two": {
            "mean": _mean([value for others in tuned.values() for value in others.values()]),
            "pairs": {name: _mean(others.values()) for name, others in tuned.items()},
        },
    }


def _recall(head: Head, weights: Weights, config: Config) -> tuple[float, float]:
    """Share of annotated points that are found, and detections a point."""
    volume, annotation = head
    detector = build_detector(config.detect.model_copy(update={"method": "default"}), weights)
    outcome = process_volume(volume, load_compass(), detector, config.preprocess, config.merge)
    found = annotate_outcome(outcome, volume.stack.voxel_um)
    return len(match_centres(annotation, found)) / len(annotation), len(found) / len(annotation)


def _is_usual(volume: Volume) -> bool:
    rows, columns = volume.data.shape[2:]
    return is_usual(volume.data[0], Crop(0, 0, columns, rows), volume.stack.voxel_um)


def _make_samples(heads: Mapping[str, Head], shipped: Weights, grids: Grids) -> dict[str, Sample]:
    score = build_score(shipped, "cpu", "float32")
    samples = {}
    for name, (volume, annotation) in heads.items():
        voxel = volume.stack.voxel_um
        crop = crop_around(annotation, volume.data.shape[2:], voxel, 20.0)
        sample = make_sample(volume.data[0], annotation, voxel, crop, grids=grids)
        samples[name] = complete_sample(sample, score, complete=False)
    return samples


def _mean(values: Sequence[tuple[float, float]] | Any) -> dict[str, float]:
    recall, ratio = np.mean(list(values), axis=0)
    return {"recall": float(recall), "detections_per_point": float(ratio)}
