"""The truth is what the noise-free picture shows, by the contract's own words."""

import numpy as np
import pytest

from cases.simulations import DARK, SHAPE, VOXEL_UM, simulate
from cender.simulate import Simulation
from cender.simulate.rendering import RED, draw_frame
from cender.types import Annotation


def draw_alone(simulation: Simulation, volume: int, neuron: int) -> np.ndarray:
    """Noise-free frames of one neuron, ``z y x``."""
    world = simulation.world
    spots, glow = world.see(volume)
    mine = spots.select(spots.neuron == neuron)
    frames = [draw_frame(world, volume, RED, z, mine.select(mine.frame == z), glow) for z in range(SHAPE[0])]
    return np.stack(frames)


def find_boxes(frames: np.ndarray, noise: float) -> dict[int, tuple[float, float, float, float]]:
    """Boxes by frame as the contract defines them: a quarter of the peak, twice the noise, half of the frame's peak."""
    boxes = {}
    for z, frame in enumerate(frames):
        if frame.max() >= 0.25 * frames.max() and frame.max() >= 2 * noise:
            rows, columns = np.nonzero(frame > 0.5 * frame.max())
            size = columns.max() - columns.min() + 1, rows.max() - rows.min() + 1
            boxes[z] = (float(columns.min()), float(rows.min()), float(size[0]), float(size[1]))
    return boxes


def boxes_of(annotation: Annotation, neuron: int) -> dict[int, tuple[float, ...]]:
    rows = annotation.regions.neuron == neuron
    boxes = map(tuple, annotation.regions.box_px[rows].tolist())
    return dict(zip(annotation.regions.z[rows].tolist(), boxes, strict=True))


@pytest.mark.parametrize(("seed", "volume"), [(1, 0), (2, 2), (5, 1)])
def test_boxes_are_those_of_the_noise_free_picture(seed: int, volume: int) -> None:
    simulation = simulate(seed, optics=DARK)
    annotation = simulation.annotate(volume)
    noise = simulation.world.params.camera.read_noise
    assert len(annotation) > 60
    for row in range(0, len(annotation), 9):
        neuron = int(np.flatnonzero(simulation.world.animal.identity == annotation.identity[row])[0])
        assert boxes_of(annotation, row) == find_boxes(draw_alone(simulation, volume, neuron), noise)


def test_haze_makes_faint_boxes_disappear() -> None:
    clear, hazy = (simulate(4, optics={**DARK, "haze": haze}).annotate(0) for haze in (0.0, 0.08))
    assert len(hazy.regions) < len(clear.regions)
    assert set(hazy.identity) <= set(clear.identity)


@pytest.mark.parametrize("preset", ["easy", "typical", "hard"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_truth_is_consistent(preset: str, seed: int) -> None:
    simulation = simulate(seed, preset=preset)
    annotation = simulation.annotate(1)
    regions = annotation.regions
    x, y, w, h = regions.box_px.T
    assert (x >= 0).all()
    assert (y >= 0).all()
    assert (x + w <= SHAPE[2]).all()
    assert (y + h <= SHAPE[1]).all()
    assert ((w >= 1) & (h >= 1)).all()
    assert ((regions.z >= 0) & (regions.z < SHAPE[0])).all()
    assert len(set(annotation.identity.tolist())) == len(annotation)
    assert set(annotation.identity) <= set(simulation.world.animal.identity)
    assert sorted(set(regions.neuron.tolist())) == list(range(len(annotation))), "every neuron has a box"
    for row, centre in enumerate(annotation.centre_um / VOXEL_UM):
        mine = regions.select(regions.neuron == row)
        assert len(set(mine.z.tolist())) == len(mine), "one box a frame"
        assert mine.z.min() - 1e-6 <= centre[0] <= mine.z.max() + 1e-6
        assert mine.box_px[:, 0].min() <= centre[2] <= (mine.box_px[:, 0] + mine.box_px[:, 2]).max()
        assert mine.box_px[:, 1].min() <= centre[1] <= (mine.box_px[:, 1] + mine.box_px[:, 3]).max()


def test_nuclei_are_two_to_six_frames_deep() -> None:
    depths: list[int] = []
    for seed in range(1, 7):
        annotation = simulate(seed, shape=(18, 256, 256)).annotate(0)
        inside = [
            row
            for row in range(len(annotation))
            if annotation.regions.z[annotation.regions.neuron == row].min() > 0
            and annotation.regions.z[annotation.regions.neuron == row].max() < 17
        ]
        depths += [int((annotation.regions.neuron == row).sum()) for row in inside]
    share = np.mean([(2 <= depth <= 6) for depth in depths])
    assert share > 0.9
    assert {2, 3, 4} <= set(depths)


def test_invisible_neurons_are_in_no_volume() -> None:
    simulation = simulate(volumes=4, anatomy={"invisible": 0.3})
    dark = simulation.world.animal.identity[simulation.world.animal.brightness < 0.1]
    assert len(dark) > 20
    assert not any(set(simulation.annotate(volume).identity) & set(dark) for volume in range(4))


def test_head_is_where_its_neurons_are_and_its_axes_are_the_bodys() -> None:
    for seed in range(1, 9):
        simulation = simulate(seed, preset="easy")
        annotation = simulation.annotate(1)
        head = annotation.head
        assert head is not None
        assert np.linalg.norm(head.anterior_yx) == pytest.approx(1)
        assert np.linalg.norm(head.ventral_yx) == pytest.approx(1)
        assert head.anterior_yx @ head.ventral_yx == pytest.approx(0, abs=1e-9)
        animal = simulation.world.animal
        body = animal.adl_um[np.searchsorted(animal.identity, annotation.identity)]
        image = annotation.centre_um[:, 1:] / VOXEL_UM[1:]
        keep = body[:, 0] < 110
        # Going backwards along the body is going against the anterior direction; ventral is against dorsal.
        assert np.corrcoef(body[keep, 0], image[keep] @ head.anterior_yx)[0, 1] < -0.8
        straight = image[keep] @ head.ventral_yx
        assert np.corrcoef(body[keep, 1], straight)[0, 1] < -0.5
        x, y, w, h = head.crop
        inside = (image[keep] >= (y, x)) & (image[keep] <= (y + h, x + w))
        assert inside.all(1).mean() > 0.8
