"""What the paper's network should answer for every anchor of a volume."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.detect.anchors import encode_boxes, place_anchors
from cender.detect.fields import pad_frames
from cender.detect.multi_field import MultiFieldParams
from cender.detect.peaks import fill_hull, find_peaks, resample_head, standardise_head
from cender.training.paper.anchor_scenes import Scene
from cender.types import Regions
from cender.types.boxes import overlap_boxes

POSITIVE_IOU = 0.2
"""Overlap with a true box from which on a candidate counts as a region."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Anchors of one volume: peak (z y x), side, whether there is a region, and its box relative to the peak.

    ``box`` is the offset of the region's centre from the peak (x, y) and its size (w, h), in the crop's pixels.
    """

    padded: Float[np.ndarray, "z h w"]
    peaks: Int[np.ndarray, "n 3"]
    anchor_px: Int[np.ndarray, " n"]
    label: Float[np.ndarray, " n"]
    box: Float[np.ndarray, "n 4"]

    def __len__(self) -> int:
        return len(self.peaks)

    def select(self, rows: Int[np.ndarray, " k"]) -> "Examples":
        """The anchors of these rows."""
        return Examples(self.padded, self.peaks[rows], self.anchor_px[rows], self.label[rows], self.box[rows])


def gather_examples(scene: Scene, params: MultiFieldParams) -> Examples:
    """All anchors of a volume with their targets: the region of largest overlap, if that is at least 0.2.

    The score to learn is 1 with such a region and 0 without; the text does not say, and the published code has the
    overlap itself.
    """
    cut, scale = resample_head(scene.red, scene.head, scene.voxel_um)
    inside = fill_hull(scene.head, (cut.shape[1], cut.shape[2]), scale, params.hull_margin_px)
    scaled = standardise_head(cut, inside)
    peaks = find_peaks(scaled, params.peak_above, params.blur_px)
    row, anchors = place_anchors(peaks, params.anchors_px)
    corner = np.array([scene.head.crop.x, scene.head.crop.y, 0, 0])
    true = (scene.regions.box_px - corner) * np.tile(scale[::-1], 2)
    z = peaks[row, 0]
    best, overlap = find_best_region(z, anchors, scene.regions, true)
    label = overlap >= POSITIVE_IOU
    box = np.zeros((len(row), 4))
    if len(true):
        middle = true[best, :2] + (true[best, 2:] - 1) / 2
        box = np.concatenate([middle - peaks[row][:, :0:-1], true[best, 2:]], axis=1) * label[:, None]
    return Examples(pad_frames(scaled), peaks[row], anchors[:, 2].astype(int), label.astype(float), box)


def find_best_region(
    z: Int[np.ndarray, " n"], anchors: Float[np.ndarray, "n 4"], regions: Regions, boxes: Float[np.ndarray, "m 4"]
) -> tuple[Int[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Row of the region that overlaps each anchor most, in the same frame, and their intersection over union."""
    best, overlap = np.zeros(len(z), int), np.zeros(len(z))
    for frame in np.unique(regions.z):
        mine, theirs = np.flatnonzero(z == frame), np.flatnonzero(regions.z == frame)
        iou = overlap_boxes(anchors[mine][:, None], boxes[theirs][None])
        choice = iou.argmax(axis=1)
        best[mine], overlap[mine] = theirs[choice], iou[np.arange(len(mine)), choice]
    return best, overlap


def turn_examples(
    fields: Float[np.ndarray, "n 5 41 41"],
    box: Float[np.ndarray, "n 4"],
    anchor_px: Int[np.ndarray, " n"],
    rng: np.random.Generator,
) -> tuple[Float[np.ndarray, "n 5 41 41"], Float[np.ndarray, "n 4"]]:
    """Fields flipped and transposed at random (all eight symmetries of a square), and the corrections that then hold.

    Boxes turn about the peak's own pixel: offsets of centres change sign, and no box moves by a pixel.
    """
    flip_x, flip_y, swap = rng.random((3, len(fields))) < 0.5
    turned, box = fields.copy(), box.copy()
    turned[flip_x] = turned[flip_x, :, :, ::-1]
    turned[flip_y] = turned[flip_y, :, ::-1]
    turned[swap] = turned[swap].transpose(0, 1, 3, 2)
    box[flip_x, 0] *= -1
    box[flip_y, 1] *= -1
    box[swap] = box[swap][:, [1, 0, 3, 2]]
    return turned, encode_centred(box, anchor_px)


def encode_centred(box: Float[np.ndarray, "n 4"], anchor_px: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n 4"]:
    """Corrections of an anchor around the peak for boxes given by their centre's offset and size."""
    _, anchors = place_anchors(np.zeros((1, 3), int), tuple(anchor_px.tolist()))
    corner = box[:, :2] - (box[:, 2:] - 1) / 2
    return encode_boxes(anchors, np.concatenate([corner, box[:, 2:]], axis=1))
