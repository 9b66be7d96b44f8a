"""What the network should say about a sample: heat at the centres, sizes and offsets beside them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32

from cender.detect.decode import STRIDE, USUAL_PX
from cender.nets.maps import MAPS
from cender.training.detector.samples import Sample

# Spread of a centre's heat along z, in frames, and how far heat is drawn across, in pixels of the maps.
SPREAD_Z = 0.6
REACH = 4
# Beside what a person says is no neuron there may be one that was not marked.
DENIED = 2
# As far as the heat of a mark reaches in a head that is only partly annotated, it is known what is there.
FAINTEST = 1e-3


@dataclass(frozen=True, slots=True)
class Targets:
    """Target maps of one window, and how much each place counts.

    ``heat`` holds the region and the neuron heat (exactly 1 at a centre); ``heat_weight`` is 0 where nothing is known.
    ``values`` are the other five maps, ``value_weight`` is above 0 near region centres only.
    """

    heat: Float32[np.ndarray, "z 2 y x"]
    heat_weight: Float32[np.ndarray, "z 2 y x"]
    values: Float32[np.ndarray, "z 5 y x"]
    value_weight: Float32[np.ndarray, "z y x"]


def draw_targets(window: Sample) -> Targets:
    """Maps for a window of the network's grid."""
    frames, rows, columns = window.image.shape[0], *(size // STRIDE for size in window.image.shape[1:])
    # A window shows a small part of its head's neurons; the others would take most of the time.
    near = _reaches(window.box[:, [1, 0]] + (window.box[:, [3, 2]] - 1) / 2, rows, columns)
    frame, box, centre = window.frame[near], window.box[near], window.centre
    centre_z = centre[window.neuron[near], 0]
    centre = centre[_reaches(centre[:, 1:], rows, columns)]
    heat = np.zeros((frames, 2, rows, columns), np.float32)
    values = np.zeros((frames, len(MAPS) - 2, rows, columns), np.float32)
    weight = np.zeros((frames, rows, columns), np.float32)
    middle = to_map(box[:, [1, 0]] + (box[:, [3, 2]] - 1) / 2)
    spread = np.maximum(0.7, 0.16 * box[:, 2:].mean(1) / STRIDE)
    for row in range(len(box)):
        z, (cy, cx) = int(frame[row]), middle[row]
        place = _patch(cy, cx, rows, columns)
        if place is None or not 0 <= z < frames:
            continue
        ys, xs, dy, dx = place
        bump = np.exp(-(dy**2 + dx**2) / (2 * spread[row] ** 2))
        np.maximum(heat[z, 0, ys, xs], bump, out=heat[z, 0, ys, xs])
        close = np.where(bump > 0.5, bump, 0.0)
        mine = close > weight[z, ys, xs]
        size = np.log(box[row, 2:] / USUAL_PX)
        said = (size[0], size[1], -dx, -dy, np.clip((centre_z[row] - z) / 2, -2, 2))
        for index, value in enumerate(said):
            values[z, index, ys, xs] = np.where(mine, value, values[z, index, ys, xs])
        weight[z, ys, xs] = np.maximum(weight[z, ys, xs], close)
        _mark(heat, z, 0, cy, cx)
    _draw_centres(heat, centre, float(np.median(spread)) if len(spread) else 0.8)
    known = (heat > FAINTEST).astype(np.float32) if window.partial else np.ones_like(heat)
    _set_around(known, window.unsure, REACH, 0.0)
    _set_around(known, window.denied, DENIED, 1.0)
    # What is marked is known, even beside an unsure place.
    known[heat >= 0.5] = 1
    return Targets(heat, known, values, weight)


def to_map(pixel: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
    """Index in a map of an index in the network's grid."""
    return (pixel - (STRIDE - 1) / 2) / STRIDE


def _draw_centres(heat: Float32[np.ndarray, "z 2 y x"], centre: Float[np.ndarray, "m 3"], spread: float) -> None:
    frames, _, rows, columns = heat.shape
    for cz, cy, cx in np.column_stack([centre[:, 0], to_map(centre[:, 1:])]):
        place = _patch(cy, cx, rows, columns)
        if place is None or not -0.5 <= cz < frames - 0.5:
            continue
        ys, xs, dy, dx = place
        flat = np.exp(-(dy**2 + dx**2) / (2 * spread**2))
        for z in range(max(0, round(cz) - 2), min(frames, round(cz) + 3)):
            bump = flat * np.exp(-((z - cz) ** 2) / (2 * SPREAD_Z**2))
            np.maximum(heat[z, 1, ys, xs], bump, out=heat[z, 1, ys, xs])
        _mark(heat, min(max(round(cz), 0), frames - 1), 1, cy, cx)


def _reaches(place: Float[np.ndarray, "n 2"], rows: int, columns: int) -> Bool[np.ndarray, " n"]:
    """Which places (``y x`` of the network's grid) shine into a map of this size."""
    place = to_map(place)
    return np.asarray(((place > -REACH - 1) & (place < np.array([rows, columns]) + REACH)).all(1))


def _set_around(
    known: Float32[np.ndarray, "z 2 y x"], places: Float[np.ndarray, "k 3"], reach: int, weight: float
) -> None:
    """Set the weight of the pixels that are not farther than ``reach`` from places."""
    frames, _, rows, columns = known.shape
    for cz, cy, cx in np.column_stack([places[:, 0], to_map(places[:, 1:])]):
        place = _patch(cy, cx, rows, columns, reach)
        if place is not None:
            known[max(0, round(cz) - 1) : max(0, min(frames, round(cz) + 2)), :, place[0], place[1]] = weight


def _mark(heat: Float32[np.ndarray, "z 2 y x"], z: int, kind: int, cy: float, cx: float) -> None:
    """Set the pixel nearest to a centre to exactly 1, where it is inside."""
    y, x = round(float(cy)), round(float(cx))
    if 0 <= y < heat.shape[2] and 0 <= x < heat.shape[3]:
        heat[z, kind, y, x] = 1


def _patch(
    cy: float, cx: float, rows: int, columns: int, reach: int = REACH
) -> tuple[slice, slice, Float[np.ndarray, "h 1"], Float[np.ndarray, "1 w"]] | None:
    """Map pixels around a centre, and their distances from it."""
    y0, y1 = max(0, round(cy) - reach), min(rows, round(cy) + reach + 1)
    x0, x1 = max(0, round(cx) - reach), min(columns, round(cx) + reach + 1)
    if y0 >= y1 or x0 >= x1:
        return None
    return slice(y0, y1), slice(x0, x1), (np.arange(y0, y1) - cy)[:, None], (np.arange(x0, x1) - cx)[None]
