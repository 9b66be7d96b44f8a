"""The paper's detector: peaks, anchors, five fields, a network, suppression (Stage 2, multi-field detection)."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Real
from pydantic import Field

from cender.detect.anchors import decode_boxes, place_anchors
from cender.detect.fields import cut_fields, pad_frames, stack_fields
from cender.detect.measure import measure_regions
from cender.detect.peaks import fill_hull, find_peaks, resample_head, standardise_head
from cender.detect.suppression import suppress_boxes
from cender.types import Detections, Head, Params, Regions, VoxelSize

Score = Callable[[Float[np.ndarray, "n 5 41 41"]], tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n 4"]]]


class MultiFieldParams(Params):
    """The paper's multi-field detector; its pixels are of 0.3 µm."""

    anchors_px: tuple[int, ...] = Field((9,), description="sides of the anchor boxes: 9, or 7 and 11")
    peak_above: float = Field(
        1.8, description="smallest brightness of a peak, in standard deviations above the head's mean"
    )
    blur_px: float = Field(0.4, gt=0, description="blur before peaks are sought, sd of a 3 x 3 Gaussian")
    hull_margin_px: int = Field(6, ge=0, description="how far outside of the head's hull peaks are still sought")
    score_above: float = Field(0.4, ge=0, le=1, description="smallest score of a region")
    overlap: float = Field(0.2, ge=0, le=1, description="of regions that overlap more than this the better one stays")
    batch: int = Field(512, ge=1, description="anchors scored at a time")


def detect_regions_paper(
    red: Real[np.ndarray, "z y x"],
    head: Head,
    voxel_um: VoxelSize,
    score: Score,
    params: MultiFieldParams | None = None,
) -> Detections:
    """Regions of one volume as the paper finds them, in full-frame pixels; no 3D centres.

    Where this departs from the text: peaks are sought up to ``hull_margin_px`` outside of the head's hull, since nuclei
    at the edge of the head lie on it and half of each would be cut off (0 is the text); boxes of a pixel or less are
    dropped, as they have no intensity; intensities are taken above the local background (`measure_regions`).

    Parameters
    ----------
    score
        From five fields of an anchor to its score (0 to 1) and its corrections.
    """
    params = params or MultiFieldParams()
    cut, scale = resample_head(red, head, voxel_um)
    inside = fill_hull(head, (cut.shape[1], cut.shape[2]), scale, params.hull_margin_px)
    scaled = standardise_head(cut, inside)
    peaks = find_peaks(scaled, params.peak_above, params.blur_px)
    row, anchors = place_anchors(peaks, params.anchors_px)
    padded = pad_frames(scaled)
    scores, boxes = [np.zeros(0)], [np.zeros((0, 4))]
    for start in range(0, len(row), params.batch):
        part = slice(start, start + params.batch)
        near, wide = cut_fields(padded, peaks[row[part]])
        found, corrections = score(stack_fields(near, wide, anchors[part, 2].astype(int)))
        scores.append(found.astype(float))
        boxes.append(decode_boxes(anchors[part], corrections.astype(float)))
    sure, box = np.concatenate(scores), np.concatenate(boxes)
    kept = np.flatnonzero((sure >= params.score_above) & (box[:, 2:] > 1).all(axis=1))
    z = peaks[row[kept], 0]
    kept = kept[suppress_boxes(z, box[kept], sure[kept], params.overlap)]
    # Half-open boxes scale from the crop's corner, not from its first pixel's centre.
    factor = np.tile(scale[::-1], 2)
    full = box[kept] / factor + np.array([head.crop.x, head.crop.y, 0, 0])
    regions = Regions.from_boxes(peaks[row[kept], 0], full, score=sure[kept])
    return Detections.from_regions(measure_regions(red, regions))
