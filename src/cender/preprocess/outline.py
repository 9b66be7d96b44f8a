"""What belongs to the head: the spots joined to it, the rectangle around them, its outline and its middle."""

import cv2
import numpy as np
from jaxtyping import Bool, Float, UInt8

from cender.preprocess.params import PreprocessParams
from cender.preprocess.projection import GRID_UM, Picture
from cender.preprocess.spots import Spots
from cender.types import Crop

LINK_UM = 30.0
"""Spots nearer than this to each other belong to the same animal."""
BEHIND_UM = 40.0
"""How far behind the middle of the head spots still belong to it."""
SKIN_UM = 5.0
"""How far the outline lies outside of the outermost spots."""
GAP_UM = 14.0
"""Gaps between spots up to about twice this are closed."""


def join_spots(spots: Spots, place: Float[np.ndarray, " 2"], reach_um: float) -> Bool[np.ndarray, " n"]:
    """Which spots hang together with those at a place, each within `LINK_UM` of the next: head and cord of one worm."""
    dots = np.zeros(spots.map.shape, np.uint8)
    dots[tuple(spots.place.astype(int).T)] = 1
    count, labels = cv2.connectedComponents(cv2.dilate(dots, _disc(LINK_UM / 2)))
    distance = np.linalg.norm(spots.place - place, axis=1) * GRID_UM
    group = labels[tuple(spots.place.astype(int).T)]
    near = np.bincount(group, weights=np.exp(-((distance / 20) ** 2)), minlength=count)
    return np.asarray((group == near.argmax()) & (distance <= reach_um))


def cut_out(
    picture: Picture, places: Float[np.ndarray, "n 2"], voxel_um: tuple[float, float], params: PreprocessParams
) -> Crop:
    """Rectangle of whole pixels around these places, with a margin, inside the frame."""
    margin = params.margin_um / np.array(voxel_um)
    at = picture.to_px(places)
    low = np.clip(np.floor(at.min(0) - margin), 0, None).astype(int)
    high = np.clip(np.ceil(at.max(0) + margin) + 1, None, picture.shape_px).astype(int)
    return Crop(int(low[1]), int(low[0]), int(high[1] - low[1]), int(high[0] - low[0]))


def find_hull(picture: Picture, places: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "k 2"]:
    """Convex hull of these places in full-frame indices, ``y x``."""
    points = picture.to_px(places).astype(np.float32)
    return np.asarray(cv2.convexHull(points)[:, 0], dtype=float)


def draw_mask(
    spots: Spots,
    joined: Bool[np.ndarray, " n"],
    place: Float[np.ndarray, " 2"],
    anterior: Float[np.ndarray, " 2"],
) -> UInt8[np.ndarray, "h w"]:
    """The head without the cord as a mask on the grid: joined spots, the gaps between them closed."""
    ahead = (spots.place - place) @ anterior * GRID_UM
    mask = np.zeros(spots.map.shape, np.uint8)
    mask[tuple(spots.place[joined & (ahead > -BEHIND_UM)].astype(int).T)] = 1
    mask[tuple(np.clip(np.rint(place), 0, np.array(mask.shape) - 1).astype(int))] = 1
    # Room around the picture, so that closing does not stop at its edges.
    room = round((SKIN_UM + GAP_UM) / GRID_UM) + 1
    roomy = cv2.copyMakeBorder(mask, room, room, room, room, cv2.BORDER_CONSTANT, value=0)
    closed = cv2.erode(cv2.dilate(roomy, _disc(SKIN_UM + GAP_UM)), _disc(GAP_UM))
    return np.ascontiguousarray(closed[room:-room, room:-room])


def trace_outline(picture: Picture, mask: UInt8[np.ndarray, "h w"]) -> Float[np.ndarray, "n 2"]:
    """Contour of the mask's largest part in full-frame indices, ``y x``."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    largest = max(contours, key=cv2.contourArea)
    return np.asarray(picture.to_px(largest[:, 0, ::-1].astype(float)))


def find_origin(picture: Picture, spots: Spots, mask: UInt8[np.ndarray, "h w"]) -> Float[np.ndarray, " 2"]:
    """Middle of the spots' light in the mask, in full-frame indices."""
    weight = spots.map * mask
    total = float(weight.sum())
    if total == 0:
        return np.asarray(picture.to_px(np.argwhere(mask).mean(0)))
    y = float(weight.sum(1) @ np.arange(mask.shape[0])) / total
    x = float(weight.sum(0) @ np.arange(mask.shape[1])) / total
    return np.asarray(picture.to_px(np.array([y, x])))


def _disc(radius_um: float) -> UInt8[np.ndarray, "k k"]:
    size = 2 * max(1, round(radius_um / GRID_UM)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
