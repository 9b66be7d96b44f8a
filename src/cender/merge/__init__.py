"""Stage 3: regions of neighbouring frames become neurons."""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Int

from cender.merge.assemble import assemble_neurons, order_regions
from cender.merge.depth import DepthBounds
from cender.merge.gather import gather_regions, trace_drift
from cender.merge.judge import NEURON_WEIGHTS, describe_neurons, keep_likely
from cender.merge.link import link_drifting, link_regions, number_chains
from cender.merge.params import MergeParams
from cender.merge.split import split_at_minima, split_unlikely
from cender.types import Detections, Neurons, Regions, VoxelSize

__all__ = ["DepthBounds", "MergeParams", "gather_neurons", "merge_regions"]


def merge_regions(detections: Detections, voxel_um: VoxelSize, params: MergeParams | None = None) -> Neurons:
    """Neurons of one volume: every region in at most one, at most one region per frame, consecutive frames only.

    With the method ``default`` each 3D centre of the detector gathers its regions; a centre without a region is
    dropped, since nothing could be measured of it. Chains of confident regions far from all centres, and all regions
    of a detector that sees no centres, are linked along z and cut where two neurons are likelier than one. Where there
    are centres, each neuron is then judged as a whole: unlikely ones are dropped, and the score of the others is the
    chance that they are real. ``paper`` links by overlap and cuts at every minimum of intensity; it ignores centres.

    Parameters
    ----------
    detections
        Regions, best with their intensities (`cender.detect.measure.measure_regions`), and 3D centres if there are any.
    voxel_um
        Distance of voxels, in which depths and widths are compared.
    """
    params = params or MergeParams()
    order = order_regions(detections.regions)
    regions = detections.regions.select(order)
    if params.method == "paper":
        label = number_chains(split_at_minima(regions, link_regions(regions, params.link_iou)))
        return assemble_neurons(regions, label)
    depth = DepthBounds(params.depth_offset_um, params.depth_slope, params.depth_spread_um)
    if not len(detections.centre_px):
        return assemble_neurons(regions, _chain_regions(regions, depth, params, voxel_um))
    gathered, seen_whole = gather_neurons(replace(detections, regions=regions), params, voxel_um)
    judge = NEURON_WEIGHTS if detections.judge is None else detections.judge
    odds = describe_neurons(gathered, seen_whole, depth, voxel_um) @ judge
    return keep_likely(gathered, odds, params.least_chance)


def gather_neurons(
    detections: Detections, params: MergeParams, voxel_um: VoxelSize
) -> tuple[Neurons, Bool[np.ndarray, " m"]]:
    """What the 3D centres gather and what is left, before it is judged; and which neurons come from a centre."""
    depth = DepthBounds(params.depth_offset_um, params.depth_slope, params.depth_spread_um)
    regions = detections.regions
    places = np.lexsort((*detections.centre_px.T[::-1], detections.centre_score))
    centres = replace(
        detections,
        centre_px=detections.centre_px[places],
        centre_score=detections.centre_score[places],
    )
    label, free = gather_regions(centres, trace_drift(regions), depth, voxel_um, params.reach)
    left = np.flatnonzero(free & (regions.score >= params.leftover_score))
    chain = _chain_regions(regions.select(left), depth, params, voxel_um)
    long = np.bincount(chain, minlength=1)[chain] >= params.leftover_frames
    label[left[long]] = len(places) + chain[long]
    # Chains have no score of their own yet.
    score = np.concatenate([centres.centre_score, np.full(int(chain.max(initial=-1)) + 1, np.nan)])
    gathered = assemble_neurons(regions, label, score)
    return gathered, np.isfinite(gathered.score)


def _chain_regions(
    regions: Regions, depth: DepthBounds, params: MergeParams, voxel_um: VoxelSize
) -> Int[np.ndarray, " n"]:
    """Number of the neuron of every region, from the regions alone."""
    link, drift = link_drifting(regions, params.link_iou)
    return number_chains(split_unlikely(regions, link, drift, depth, voxel_um, params.cut_above))
