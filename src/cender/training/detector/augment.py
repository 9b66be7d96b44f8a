"""Windows of samples, changed in every way in which rigs and animals differ."""

from dataclasses import replace

import cv2
import numpy as np
from jaxtyping import Float, Float32

from cender.training.detector.samples import Sample

# Smallest and largest magnification.
ZOOM = (0.75, 1.35)
# Share of windows that are cut anywhere; the others are cut around a neuron.
ANYWHERE = 0.25


def draw_window(sample: Sample, size: int, rng: np.random.Generator) -> Sample:
    """A window of a head as training sees it: cut out, turned and relit by chance."""
    return relight(turn(cut_window(sample, size, rng), rng), rng)


def cut_window(sample: Sample, size: int, rng: np.random.Generator) -> Sample:
    """A square window of ``size`` pixels, mostly around a random neuron, zoomed, with frames a little out of place."""
    zoom = float(np.exp(rng.uniform(*np.log(ZOOM))))
    anchor = rng.uniform(0, 1, 2) * sample.image.shape[1:]
    # Mostly around neurons, but the empty part of the crop must be known as well.
    if len(sample.centre) and rng.random() > ANYWHERE:
        anchor = sample.centre[rng.integers(len(sample.centre)), 1:]
    reach = size / zoom
    corner = anchor + rng.uniform(-0.35, 0.35, 2) * reach - reach / 2
    shift = rng.normal(0, 0.5, (len(sample.image), 2))
    image = np.empty((len(sample.image), size, size), np.float32)
    for z, frame in enumerate(sample.image):
        y0, x0 = corner + shift[z]
        # Index u of the window shows index x0 - 0.5 + (u + 0.5) / zoom of the sample.
        move = np.array([[1 / zoom, 0, x0 - 0.5 + 0.5 / zoom], [0, 1 / zoom, y0 - 0.5 + 0.5 / zoom]])
        cv2.warpAffine(
            frame,
            move,
            (size, size),
            dst=image[z],
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT_101,
        )
    box = sample.box.copy()
    moved = corner + shift[sample.frame]
    box[:, :2] = (box[:, :2] - 0.5 - moved[:, ::-1] + 0.5) * zoom
    box[:, 2:] *= zoom

    def move_points(points: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 3"]:
        frame = np.clip(np.rint(points[:, 0]), 0, len(sample.image) - 1).astype(int)
        place = (points[:, 1:] - corner - shift[frame] + 0.5) * zoom - 0.5
        return np.concatenate([points[:, :1], place], axis=1)

    return replace(
        sample,
        image=image,
        box=box,
        centre=move_points(sample.centre),
        unsure=move_points(sample.unsure),
        denied=move_points(sample.denied),
        step_um=sample.step_um / np.array([1, zoom, zoom]),
    )


def turn(sample: Sample, rng: np.random.Generator) -> Sample:
    """Flip along x, y and z and exchange x and y, each by chance."""
    image, frame, box = sample.image, sample.frame, sample.box.copy()
    points = np.concatenate([sample.centre, sample.unsure, sample.denied])
    frames, rows, columns = image.shape
    if rng.random() < 0.5:
        image = image[:, :, ::-1]
        box[:, 0], points[:, 2] = columns - box[:, 0] - box[:, 2], columns - 1 - points[:, 2]
    if rng.random() < 0.5:
        image = image[:, ::-1]
        box[:, 1], points[:, 1] = rows - box[:, 1] - box[:, 3], rows - 1 - points[:, 1]
    if rng.random() < 0.5:
        image, frame, points[:, 0] = image[::-1], frames - 1 - frame, frames - 1 - points[:, 0]
    if rng.random() < 0.5:
        image, box, points = image.transpose(0, 2, 1), box[:, [1, 0, 3, 2]], points[:, [0, 2, 1]]
    centre, unsure, denied = np.split(points, np.cumsum([len(sample.centre), len(sample.unsure)]))
    image = np.ascontiguousarray(image)
    return replace(sample, image=image, frame=frame, box=box, centre=centre, unsure=unsure, denied=denied)


def relight(sample: Sample, rng: np.random.Generator) -> Sample:
    """Other blur, contrast, haze, noise and black level."""
    image = sample.image**2
    if rng.random() < 0.4:
        sigma = rng.uniform(0.3, 1.3)
        image = np.stack([cv2.GaussianBlur(frame, (0, 0), sigma) for frame in image])
    if rng.random() < 0.4:
        image = image + rng.uniform(0, 0.12) * _haze(image.shape, rng)
    image *= np.exp(rng.normal(0, 0.25))
    if rng.random() < 0.5:
        image += rng.normal(0, rng.uniform(0.005, 0.06), image.shape).astype(np.float32)
    if rng.random() < 0.4:
        image -= rng.uniform(0, 0.04)
    image = np.clip(image, 0, 4) ** (0.5 * np.exp(rng.normal(0, 0.15)))
    return replace(sample, image=image.astype(np.float32))


def _haze(shape: tuple[int, ...], rng: np.random.Generator) -> Float32[np.ndarray, "z y x"]:
    coarse: Float[np.ndarray, "z a b"] = rng.random((shape[0], 4, 4))
    coarse = (coarse + np.roll(coarse, 1, 0) + np.roll(coarse, -1, 0)) / 3
    return np.stack(
        [cv2.resize(c.astype(np.float32), (shape[2], shape[1]), interpolation=cv2.INTER_CUBIC) for c in coarse]
    )
