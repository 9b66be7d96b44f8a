"""What becomes of camera frames on their way to a file: denoised, sharpened, without background, in fewer bits."""

import cv2
import numpy as np
from jaxtyping import Float32, Shaped, UInt16

from cender.simulate.params import SimulateParams, StorageParams

AROUND_UM = 6.0
"""Standard deviation of the blur that is taken off as background."""
FINE_UM = 1.0
"""Standard deviation of the blur that sharpening is relative to."""
# With 8 bits the highest level is this many times the light of a median neuron, unless it saturates earlier.
BRIGHTEST = 6.0


def stored_type(storage: StorageParams) -> np.dtype:
    """Number type of stored pixels."""
    return np.dtype(np.uint8 if storage.largest == 255 else np.uint16)


def store_frame(frame: UInt16[np.ndarray, "y x"], params: SimulateParams) -> Shaped[np.ndarray, "y x"]:
    """The frame as the file holds it; the very same where nothing is done to it."""
    storage = params.storage
    if storage == StorageParams():
        return frame
    pixel_um = float(np.mean(params.voxel_um[1:]))
    image = frame.astype(np.float32)
    if storage.denoise_um:
        image = _blur(image, storage.denoise_um / pixel_um)
    if storage.sharpen:
        image += np.float32(storage.sharpen) * (image - _blur(image, FINE_UM / pixel_um))
    floor = params.camera.offset
    if storage.remove_background:
        image -= _blur(image, AROUND_UM / pixel_um)
        # Denoising has left this much of the noise of a pixel.
        left = 1 / np.sqrt(1 + 4 * np.pi * (storage.denoise_um / pixel_um) ** 2)
        image -= np.float32(storage.remove_background * params.camera.read_noise * left)
        floor = 0.0
    light = params.optics.peak_counts
    highest = float(storage.largest)
    if storage.largest == 255:
        top = floor + (storage.saturate or BRIGHTEST) * light
        image *= np.float32(highest / top)
    elif storage.saturate:
        highest = min(highest, floor + storage.saturate * light)
    stored = np.rint(np.clip(image, 0, highest)).astype(stored_type(storage))
    return _compress(stored, storage.jpeg_quality) if storage.largest == 255 and storage.jpeg_quality else stored


def _blur(image: Float32[np.ndarray, "y x"], sigma_px: float) -> Float32[np.ndarray, "y x"]:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), max(sigma_px, 0.1)))


def _compress(image: Shaped[np.ndarray, "y x"], quality: int) -> Shaped[np.ndarray, "y x"]:
    _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(code, cv2.IMREAD_GRAYSCALE))
