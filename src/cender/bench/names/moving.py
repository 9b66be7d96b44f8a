"""What many volumes add to one: annotated animals as a recording of a moving worm would show them.

A simulation, because no recording with names is public: each volume is bent, rolled and turned in its own way, places
have errors, and some neurons are missed. Identities are right, as in a well tracked recording.
"""

from collections.abc import Callable
from time import process_time

import numpy as np
from jaxtyping import Float

from cender.bench.names.measure import Fold, Row, describe_names, hide_names, map_handedness
from cender.name.atlas import fit_named
from cender.name.model import NamingModel
from cender.name.recording import Seen, name_recording
from cender.types import Cells

# Volumes of the simulated recording, and the spread of its curvature and of its roll (rad).
VOLUMES = 12
BEND, ROLL = 0.15, 0.2
"""Standard deviations of the bend (rad per unit of the atlas) and of the roll (rad) that a moving head is given."""
ERROR_UM, MISSED = 1.0, 0.2
"""Standard deviation of the error of a detected centre, and the share of neurons that detection misses in a
volume."""


def measure_moving(fold: Fold, model: NamingModel, on_animal: Callable[[], None] = lambda: None) -> list[Row]:
    """One row per animal and condition: named from one volume alone, and from all of a recording."""
    mirrored, _ = map_handedness(fold, model)
    rows: list[Row] = []
    for number, cells in enumerate(fold.tested):
        volumes = simulate_volumes(cells, model, np.random.default_rng(number))
        identities = list(range(len(cells)))
        for looks, bare in hide_names(cells).items():
            colours = dict(enumerate(bare.colour)) if bare.colour.shape[1] else {}
            for words, chosen in (("one volume", volumes[:1]), (f"{VOLUMES} volumes", volumes)):
                begun = process_time()
                naming = name_recording(chosen, identities, colours, {}, model, mirrored[cells.animal])
                row = describe_names(naming, cells, np.arange(len(cells)))
                row |= {"fold": fold.name, "condition": f"{looks}, {words}", "seconds": process_time() - begun}
                rows.append({**row, "side_right": True})
        on_animal()
    return rows


def simulate_volumes(cells: Cells, model: NamingModel, rng: np.random.Generator) -> list[Seen]:
    """Volumes of the animal in postures of their own, in µm."""
    way = fit_named(cells.position_um, cells.name, model.atlas)
    still = way.apply(cells.position_um)
    volumes: list[Seen] = []
    for _ in range(VOLUMES):
        seen = np.flatnonzero(rng.random(len(cells)) >= MISSED)
        place = _move(still[seen], rng) - way.shift
        points = place @ way.rotation / way.scale
        volumes.append((seen.tolist(), points + rng.normal(size=points.shape) * ERROR_UM))
    return volumes


def _move(place: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Float[np.ndarray, "n 3"]:
    """Bent in the plane of the body's wave, rolled and turned, in the frame of the atlas."""
    z, y, x = place.T
    bend = rng.normal() * BEND
    bent = np.stack([z, y + bend * x**2 / 2, x * (1 - bend * y)], axis=1)
    roll, turn = rng.normal() * ROLL, rng.uniform(0, 2 * np.pi)
    about_x = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    in_plane = np.array([[1, 0, 0], [0, np.cos(turn), -np.sin(turn)], [0, np.sin(turn), np.cos(turn)]])
    return np.asarray(bent @ (in_plane @ about_x).T)
