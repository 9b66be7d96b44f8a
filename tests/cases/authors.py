"""Files in the layouts of the paper's authors, small."""

import json
from pathlib import Path

import numpy as np
from scipy.io import savemat

from cender.io import save_recording
from cender.simulate import SimulateParams, simulate_recording

NAME = "ImgStk001_dk001_{w6_Dt210514001057rebuild}"
TYPE = [("isinlier", "O"), ("idx", "O"), ("slice", "O"), ("identifier", "O"), ("Position", "O")]


def save_labels(path: Path, boxes: dict[tuple[int, int], list[tuple]], shape: tuple[int, int] = (2, 3)) -> Path:
    """A label file: boxes (idx or None, x, y, w, h) by volume and slice, counted from 1 as in MATLAB."""
    cells = np.empty(shape, object)
    for place in np.ndindex(*shape):
        rows = boxes.get(place, [])
        cell = np.zeros((1, len(rows)), TYPE)
        for at, (idx, *position) in enumerate(rows):
            number = np.zeros((0, 0)) if idx is None else np.array([[float(idx)]])
            cell[0, at] = (1.0, number, place[1] + 1.0, "", np.array([position], float))
        cells[place] = cell
    savemat(path, {"neuron_boxes": cells})
    return path


def save_drawn(path: Path, corner: tuple[int, int] = (90, 70), **changes: list) -> Path:
    """A proofread head, a rectangle with its lower right corner there, and its five points."""
    x, y = corner
    points = {"mass_of_center": [50, 40], "anterior_y": [90, 40], "posterior_y": [10, 40]}
    points |= {"ventral_x": [50, 70], "dorsal_x": [50, 10]} | changes
    shapes = [{"label": "head", "points": [[10, 10], [x, 10], [x, y], [10, y]], "shape_type": "polygon"}]
    shapes += [{"label": label, "points": [point], "shape_type": "point"} for label, point in points.items() if point]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"version": "4.5.7", "imageHeight": 1024, "shapes": shapes}))
    return path


def save_stack(folder: Path, tag: str, params: SimulateParams) -> Path:
    """A simulated recording as an image stack of theirs, its true boxes as labels beside it; the path of the image."""
    simulation = simulate_recording(params)
    stack = NAME.replace("w6", tag)
    boxes: dict[tuple[int, int], list[tuple]] = {}
    for volume in range(params.volumes):
        known = simulation.annotate(volume)
        for z, neuron, box in zip(known.regions.z, known.regions.neuron, known.regions.box_px, strict=True):
            x, y, w, h = np.rint(box).tolist()
            row = (int(known.identity[neuron]) + 1, x + 1, y + 1, w - 1, h - 1)
            boxes.setdefault((volume, int(z)), []).append(row)
    folder.mkdir(parents=True, exist_ok=True)
    save_labels(folder / f"PR_{stack}.mat", boxes, (params.volumes, params.shape[0]))
    image = folder / f"{stack}_{{red_from1to40}}.mat"
    save_recording(simulation.recording, image)
    green = image.with_name(f"{image.stem}_green.mat")
    assert green.is_file()
    return image
