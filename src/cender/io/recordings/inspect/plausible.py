"""What cannot be a head: shapes of images, voxels and sizes that no microscope and no worm has."""

import cv2
import numpy as np
from jaxtyping import Float, Shaped

from cender.io.recordings.arrange.axes import guess_layout
from cender.types import Recording, VoxelSize
from cender.types.words import say_count

# Neurons of a head lie along about this length and within this depth; outside of the bounds it is no head.
_HEAD_UM, _DEPTH_UM = 110.0, 35.0
_SHORTEST_UM, _LONGEST_UM = 25.0, 500.0
"""Shortest and longest head that is plausible."""
# Share of the contrast above which a pixel of a smoothed projection belongs to the head.
_HEAD_SHARE = 0.15
_UNEVEN = 1.25
"""Ratio of a pixel's sides above which they are taken for a mistake."""
_DEEPEST_FRAMES = 100
"""Frames of a single volume from which on they may be time instead."""
# A NeuroPAL stack has five, sometimes six.
_MOST_CHANNELS = 6


def warn_shape(recording: Recording) -> list[str]:
    """What is odd about the numbers of volumes, channels, frames and pixels, and what it may be."""
    volumes, channels, frames, height, width = recording.shape
    store, axes = getattr(recording.read, "store", None), getattr(recording.read, "axes", "")
    likely = guess_layout(store.shape) if store is not None else axes
    if len(likely) == len(axes) and likely[-2:] != "YX" and likely != axes and axes[-2:] in ("YX", "XY"):
        told = f"{frames} frames of {height} × {width} px are not how a head is recorded"
        return [f"{told}: the last dimension is probably not part of the image; try recording.axes={likely}"]
    found = []
    if volumes < 3 and frames > _DEEPEST_FRAMES:
        found.append(
            f"{say_count(volumes, 'volume')} of {say_count(frames, 'frame')}: time and z look exchanged; "
            "check recording.axes, or give recording.frames_per_volume"
        )
    if volumes > 3 and frames == 1:
        found.append("every volume has a single frame: give recording.frames_per_volume, or check recording.axes")
    if channels > _MOST_CHANNELS:
        found.append(f"{channels} channels are many: time or z look exchanged with channels; check recording.axes")
    return found


def warn_size(recording: Recording, tops: list[Shaped[np.ndarray, "y x"]]) -> list[str]:
    """What is odd about the voxel size and the size that it gives the head; a rough guess where it is not known.

    Parameters
    ----------
    recording
        Of which the voxel size is looked at.
    tops
        Maxima over z of the reference, one per volume looked at.
    """
    lengths = [length for top in tops if (length := measure_length_px(top)) is not None]
    length_px = float(np.median(lengths)) if lengths else None
    voxel = recording.voxel_um
    if voxel is None:
        open_ = any(lack.what == "voxel size" and not lack.hinted for lack in recording.missing)
        return _guess_voxel(recording, length_px) if open_ else []
    # The length of a head cannot be told from pixels whose sides differ.
    if _differ(voxel.y_um, voxel.x_um):
        return [_say_uneven(voxel)]
    pixel_um, found = (voxel.y_um + voxel.x_um) / 2, []
    if voxel.z_um < 0.8 * pixel_um:
        found.append(
            f"the step in z ({voxel.z_um:g} µm) is finer than a pixel ({pixel_um:g} µm), which is rare: "
            "recording.voxel_um is in the order z, y, x; check it"
        )
    if length_px is not None and not _SHORTEST_UM <= length_px * pixel_um <= _LONGEST_UM:
        found.append(
            f"what is bright spans {length_px * pixel_um:,.0f} µm, but the neurons of a head lie within about "
            f"{_HEAD_UM:.0f} µm: check recording.voxel_um (now {pixel_um:g} µm per pixel, "
            f"{_HEAD_UM / length_px:.2g} would fit a head)"
        )
    return found


def _differ(one_um: float, other_um: float) -> bool:
    return max(one_um, other_um) > _UNEVEN * min(one_um, other_um)


def _say_uneven(voxel: VoxelSize) -> str:
    """Pixels whose sides differ: given as x, y, z they may be square."""
    turned = ",".join(f"{side:g}" for side in reversed(voxel))
    swapped = voxel.x_um > voxel.z_um and not _differ(voxel.z_um, voxel.y_um)
    return (
        f"pixels are {voxel.y_um:g} µm along y and {voxel.x_um:g} µm along x, which is rare: recording.voxel_um is in "
        f"the order z, y, x; {f'was {turned} meant?' if swapped else 'check it'}"
    )


def measure_length_px(top: Shaped[np.ndarray, "y x"]) -> float | None:
    """Length of the bright part of a projection along its longer axis, None where nothing stands out."""
    smooth: Float[np.ndarray, "y x"] = cv2.GaussianBlur(np.asarray(top, np.float32), (0, 0), 3.0)
    low, high = (float(value) for value in np.quantile(smooth, [0.3, 0.998]))
    if high <= low:
        return None
    places = np.argwhere(smooth > low + _HEAD_SHARE * (high - low)).astype(float)
    if len(places) < 20:
        return None
    centred = places - places.mean(axis=0)
    along = centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1]
    return float(np.subtract(*np.quantile(along, [0.99, 0.01])))


def _guess_voxel(recording: Recording, length_px: float | None) -> list[str]:
    if length_px is None or length_px < 10:
        return []
    pixel_um, depth_um = _HEAD_UM / length_px, _DEPTH_UM / max(1, recording.shape[2])
    guess = f"{max(depth_um, pixel_um):.2g},{pixel_um:.2g},{pixel_um:.2g}"
    return [
        f"what is bright spans about {length_px:.0f} px and a head about {_HEAD_UM:.0f} µm: until you know the voxel "
        f"size, recording.voxel_um={guess} is a rough guess"
    ]
