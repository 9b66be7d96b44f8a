"""How deep a neuron is, judged by its width (the bound on the z-size that the paper suggests to learn)."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from cender.errors import DataError
from cender.types import Annotation, VoxelSize

# The microscope of the paper, and of the simulator's presets.
VOXEL_UM = VoxelSize(1.5, 0.3, 0.3)


@dataclass(frozen=True, slots=True)
class DepthBounds:
    """Expected depth of a neuron, ``offset_um + slope * width``, and the spread (sd) around it."""

    offset_um: float
    slope: float
    spread_um: float

    def expect_um(self, width_um: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Expected depth of neurons of this width."""
        return self.offset_um + self.slope * width_um

    def rate(self, depth_um: Float[np.ndarray, " n"], width_um: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Logarithm of the likelihood of a depth, up to a constant."""
        rate: np.ndarray = -0.5 * ((depth_um - self.expect_um(width_um)) / self.spread_um) ** 2
        return rate


def learn_depth_bounds(annotations: Iterable[Annotation], voxel_um: VoxelSize = VOXEL_UM) -> DepthBounds:
    """Depth as a linear function of width, by least squares over all neurons with boxes.

    The defaults of `MergeParams` come from simulated animals with seeds 1000 to 1015, preset ``typical``, two volumes
    each. Width is the root of the mean box's area, depth the number of frames times their distance.
    """
    widths: list[np.ndarray] = [np.zeros(0)]
    depths: list[np.ndarray] = [np.zeros(0)]
    for annotation in annotations:
        regions = annotation.regions
        owned = regions.neuron >= 0
        neuron, side = regions.neuron[owned], np.sqrt(np.prod(regions.box_px[owned, 2:], axis=1))
        frames = np.bincount(neuron, minlength=len(annotation))
        known = frames > 0
        widths.append(np.bincount(neuron, side, len(annotation))[known] / frames[known] * voxel_um.x_um)
        depths.append(frames[known] * voxel_um.z_um)
    width, depth = np.concatenate(widths), np.concatenate(depths)
    if len(width) < 3 or np.ptp(width) == 0:
        raise DataError(
            "the depth of neurons is learnt from at least three neurons with boxes of different width; "
            f"found {len(width)}. "
            "Annotate more boxes, or leave merge.depth_offset_um, depth_slope and depth_spread_um as they are"
        )
    slope, offset = np.polyfit(width, depth, 1)
    # A regular set of boxes has no spread at all; a frame cannot be told from half a frame.
    spread = max(float((depth - offset - slope * width).std()), voxel_um.z_um / 4)
    return DepthBounds(float(offset), float(slope), spread)
