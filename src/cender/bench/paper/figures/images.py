"""The figures that show images: 1 to 5, 7 and S3."""

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from cender.activity import Sightings, compute_traces, estimate_cameras, measure_intensities
from cender.bench.paper.figures.scene import FILM_VOXEL_UM, Scene
from cender.detect.anchors import decode_boxes, place_anchors
from cender.detect.fields import cut_fields, pad_frames, stack_fields
from cender.detect.measure import measure_regions
from cender.detect.multi_field import detect_regions_paper
from cender.detect.peaks import fill_hull, find_peaks, resample_head, standardise_head
from cender.io.weights import shipped_weights
from cender.merge.link import link_regions, number_chains, pair_frames
from cender.merge.split import split_at_minima
from cender.nets.multi_field import KIND, build_scorer
from cender.plots.paper.features import Appearance, draw_appearance
from cender.plots.paper.stages import (
    Detecting,
    Merging,
    Preprocessing,
    draw_detecting,
    draw_merging,
    draw_preprocessing,
)
from cender.plots.paper.whole import System, Whole, draw_boxes_with_identities, draw_pipeline, draw_system
from cender.recognize.paper.posture import find_posture
from cender.types import Crop, Regions, Volume
from cender.types.boxes import overlap_boxes

FIELD_PX = (9, 15, 31, 41, 81)
"""Sides of the paper's five fields of view around a candidate."""
PATCH_PX = 15
"""Half the side of the patch that is shown around a neuron."""
SHOWN = 5
"""Volumes from all over the film that are shown."""
SHOWN_CHAINS, SHOWN_NEURONS = 6, 2
"""Chains of regions across z, and neurons, that are shown."""


def draw_figure_1(scene: Scene) -> Any:
    """All stages on one volume, with identities of the paper's recognizer."""
    return draw_pipeline(_show_whole(scene))


def draw_figure_2(scene: Scene) -> Any:
    """The paper's stage 1."""
    steps = scene.steps
    return draw_preprocessing(
        Preprocessing(
            scene.red,
            steps.projection,
            steps.closed,
            steps.bright,
            steps.contours,
            steps.points,
            scene.paper_head,
            scene.voxel_um.x_um,
        )
    )


def draw_figure_3(scene: Scene) -> Any:
    """The paper's detector on the frame with most regions, in the head that our stage 1 found."""
    params = scene.config.detect.multi_field
    weights = shipped_weights("multi_field", KIND)
    score = build_scorer(weights.arrays, float(weights.metadata["width"]))
    cut, scale = resample_head(scene.red, scene.head, scene.voxel_um)
    inside = fill_hull(scene.head, (cut.shape[1], cut.shape[2]), scale, params.hull_margin_px)
    scaled = standardise_head(cut, inside)
    peaks = find_peaks(scaled, params.peak_above, params.blur_px)
    found = detect_regions_paper(scene.red, scene.head, scene.voxel_um, score, params).regions
    z = int(np.bincount(found.z).argmax())
    mine = peaks[peaks[:, 0] == z]
    here = np.array([scene.head.crop.y, scene.head.crop.x])
    rows = np.flatnonzero(found.z == z)
    best = found.centre_px[rows[found.score[rows].argmax()], 1:]
    middle = _choose_peak(mine[:, 1:] / scale + here, best)
    near, wide = cut_fields(pad_frames(scaled), mine)
    close = np.flatnonzero(np.abs(mine[:, 1:] - mine[middle, 1:]).max(axis=1) <= FIELD_PX[0])
    _, anchors = place_anchors(mine[close], (FIELD_PX[0],))
    fields = stack_fields(near[close], wide[close], np.full(len(close), FIELD_PX[0]))
    sure, corrections = score(fields)
    corner = np.array([scene.head.crop.x, scene.head.crop.y, 0, 0])
    factor = np.tile(scale[::-1], 2)
    boxes = decode_boxes(anchors, corrections.astype(float)) / factor + corner
    seen = Detecting(
        scene.red[z],
        scene.head.crop,
        mine[:, 1:] / scale + here,
        fields[int(np.flatnonzero(close == middle)[0])],
        FIELD_PX,
        boxes,
        sure.astype(float),
        found.box_px[found.z == z],
    )
    return draw_detecting(seen, middle)


def _choose_peak(places: Float[np.ndarray, "n 2"], best_yx: Float[np.ndarray, " 2"]) -> int:
    """The peak that lies nearest to the middle of a region."""
    return int(np.linalg.norm(places - best_yx, axis=1).argmin())


def draw_figure_4(scene: Scene) -> Any:
    """The paper's merging of the true regions, which are the boxes of a person."""
    known = scene.simulation.annotate(scene.index)
    regions = measure_regions(scene.red, known.regions)
    link = link_regions(regions, scene.config.merge.link_iou)
    chain = number_chains(link)
    upper, lower = max(pair_frames(regions), key=lambda pair: len(pair[0]) * len(pair[1]))
    overlap = overlap_boxes(regions.box_px[upper][:, None], regions.box_px[lower][None])
    column = {int(row): place for place, row in enumerate(lower)}
    pairs = [(place, column[int(link[row])]) for place, row in enumerate(upper) if link[row] >= 0]
    cut_at, rows = _find_cut(regions, chain, number_chains(split_at_minima(regions, link)))
    return draw_merging(
        Merging(
            regions,
            chain,
            _choose_moving(regions, chain),
            overlap,
            np.array(pairs, int).reshape(-1, 2),
            (int(regions.z[upper[0]]), int(regions.z[lower[0]])),
            regions.z[rows],
            regions.intensity[rows],
            cut_at,
        )
    )


def _choose_moving(regions: Regions, chain: np.ndarray) -> list[int]:
    """Chains of at least five frames that move most along x."""
    long = np.flatnonzero(np.bincount(chain) >= 5)
    moved = [float(np.ptp(regions.centre_px[chain == number, 2])) for number in long]
    return [int(long[row]) for row in np.argsort(moved)[::-1][:SHOWN_CHAINS]]


def _find_cut(regions: Regions, chain: np.ndarray, parts: np.ndarray) -> tuple[float, np.ndarray]:
    """Of the chains that are cut in two the one with the deepest minimum: where, and its rows in order."""
    best: tuple[float, float, np.ndarray] | None = None
    for number in range(int(chain.max(initial=-1)) + 1):
        rows = np.flatnonzero(chain == number)
        rows = rows[np.argsort(regions.z[rows])]
        where = np.flatnonzero(np.diff(parts[rows])) + 1
        if len(where) != 1:
            continue
        light = regions.intensity[rows]
        depth = min(light[: where[0]].max(), light[where[0] :].max()) - light.min(initial=np.inf)
        if best is None or depth > best[0]:
            best = depth, float(regions.z[rows[where[0]]]) - 0.5, rows
    if best is None:
        longest = int(np.bincount(chain).argmax())
        return float("nan"), np.flatnonzero(chain == longest)
    return best[1], best[2]


def draw_figure_5(scene: Scene) -> Any:
    """Two neurons of the film in five volumes, and their neighbours in two of them."""
    simulation, volumes, neurons = scene.film
    chosen = np.linspace(0, len(volumes) - 1, SHOWN).round().astype(int)
    known = [simulation.annotate(int(one)) for one in chosen]
    numbers = _choose_neurons([one.identity for one in known])
    patches = np.stack(
        [
            np.stack(
                [
                    _cut_patch(volumes[int(index)], neurons[int(index)].centre_px[one.identity == number][0])
                    for index, one in zip(chosen, known, strict=True)
                ]
            )
            for number in numbers
        ]
    )
    both = [known[0], known[-1]]
    points = [find_posture(one, "head").objects[:, [1, 2]] for one in both]
    rows = [np.array([int(np.flatnonzero(one.identity == number)[0]) for number in numbers]) for one in both]
    names = [f"n{place}" for place in range(1, len(numbers) + 1)]
    shown = int(chosen[0]), int(chosen[-1])
    return draw_appearance(Appearance(names, chosen.tolist(), patches, points, rows, shown))


def _choose_neurons(identities: list[np.ndarray]) -> list[int]:
    """Identities that every volume has, spread over all of them."""
    shared = identities[0]
    for one in identities[1:]:
        shared = np.intersect1d(shared, one)
    return [int(shared[row]) for row in np.linspace(0, len(shared) - 1, SHOWN_NEURONS + 2).round().astype(int)[1:-1]]


def _cut_patch(volume: Volume, centre_px: Float[np.ndarray, " 3"]) -> Float[np.ndarray, "s s"]:
    z, y, x = np.rint(centre_px).astype(int)
    padded = np.pad(volume.stack.image[z], PATCH_PX, mode="edge")
    return padded[y : y + 2 * PATCH_PX + 1, x : x + 2 * PATCH_PX + 1].astype(float)


def draw_figure_7(scene: Scene) -> Any:
    """Both channels of the film and the activity of its true neurons."""
    simulation, volumes, neurons = scene.film
    params = scene.config.activity
    cameras = estimate_cameras([one.stack for one in volumes[::4]], params)
    columns: list[tuple[np.ndarray, ...]] = []
    for volume, found in zip(volumes, neurons, strict=True):
        known = simulation.annotate(volume.index)
        light = measure_intensities(volume.stack, found, cameras, params)
        columns.append((np.full(len(known), volume.index), known.identity, known.probability, light.red, light.green))
    sightings = Sightings(*(np.concatenate(column) for column in zip(*columns, strict=True)))
    index = np.arange(len(volumes))
    time_s = np.array([one.time_s for one in volumes], float)
    traces = compute_traces(sightings, index, time_s, params).traces
    middle = len(volumes) // 2
    shown, known = volumes[middle], simulation.annotate(middle)
    if known.head is None or shown.red is None or shown.green is None:
        raise RuntimeError("simulated volumes always have a head and both channels")
    crop = _widen_crop(known.head.crop, neurons[middle].regions.box_px, shown.red.shape[1:])
    place = cameras.channel_map.move_points(neurons[middle].centre_px[:, 1:]) - np.array([crop.y, crop.x])
    head = replace(known.head, crop=crop)
    whole = Whole(shown.red, head, neurons[middle], known.identity, FILM_VOXEL_UM[2])
    green = shown.green.max(0)[crop.y : crop.y + crop.h, crop.x : crop.x + crop.w]
    rows = np.argsort(-np.nanstd(np.where(traces.valid, traces.ratio, np.nan), axis=1))
    usable = [row for row in rows if traces.valid[row].sum() >= len(volumes) // 2]
    return draw_system(whole, System(green, place, traces.ratio[usable], time_s))


def _widen_crop(crop: Crop, box_px: Float[np.ndarray, "n 4"], frame: tuple[int, ...]) -> Crop:
    """The crop, made as large as all of these boxes need, inside of a frame ``y x``."""
    low = np.floor(np.minimum((crop.x, crop.y), box_px[:, :2].min(axis=0, initial=np.inf))).clip(0)
    high = np.maximum((crop.x + crop.w, crop.y + crop.h), (box_px[:, :2] + box_px[:, 2:]).max(axis=0, initial=0))
    (x, y), (w, h) = low.astype(int), (np.minimum(np.ceil(high), frame[::-1]) - low).astype(int)
    return Crop(int(x), int(y), int(w), int(h))


def draw_figure_s3(scene: Scene) -> Any:
    """Frames of the head with boxes and identities."""
    return draw_boxes_with_identities(_show_whole(scene))


def _show_whole(scene: Scene) -> Whole:
    return Whole(scene.red, scene.head, scene.neurons, scene.identity, scene.voxel_um.x_um)
