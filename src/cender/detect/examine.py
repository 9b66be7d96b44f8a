"""A second look at every candidate: what surrounds it, and what stands out about it, as a small network reads them."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Float32, UInt8

from cender.detect.candidates import Candidates, describe_candidates
from cender.detect.surroundings import sample_surroundings
from cender.types import Maps

Examine = Callable[[Float32[np.ndarray, "k f"], Float32[np.ndarray, "k s"]], Float[np.ndarray, " k"]]
"""From facts (`list_facts`) and surroundings (`sample_surroundings`) of candidates to log-odds of being a neuron."""
ODDS = 1
"""Column of a description that holds the log-odds, of the heat alone or of the second look."""
# Heat from which on a candidate counts as strong, below which as weak, and above which its width is believed.
_STRONG, _WEAK, _BELIEVED = 0.7, 0.2, 0.5
_FAR_UM, _USUAL_UM = 9.0, 3.0
"""Distance beyond which another candidate is no neighbour, and a usual one."""
_CROWDS_UM = 3.0, 5.0
"""Distances within which the heat of others is summed."""
_READ = [0, 1, 2, 3, 6]
"""Maps that are read at the candidate: both heats, width, height and offset along z."""
_LARGEST = 8.0
"""Logits and offsets are cut here."""


def examine_candidates(
    maps: Maps,
    image: UInt8[np.ndarray, "z y x"] | Float32[np.ndarray, "z y x"],
    found: Candidates,
    step_um: Float[np.ndarray, " 3"],
    looks: int,
    examine: Examine | None,
) -> Float[np.ndarray, "k 14"]:
    """The descriptions of candidates, with the log-odds after a second look instead of those of the heat.

    Parameters
    ----------
    image
        What the maps are of.
    looks
        How often the network looked at it.
    examine
        Who takes the second look; None leaves the heat.
    """
    table = describe_candidates(maps, found, step_um)
    if examine is not None and len(table):
        facts = list_facts(maps, found, table, step_um, looks)
        table[:, ODDS] = examine(facts, sample_surroundings(maps, image, found.centre, step_um))
    return table


def list_facts(
    maps: Maps, found: Candidates, table: Float[np.ndarray, "k 14"], step_um: Float[np.ndarray, " 3"], looks: int
) -> Float32[np.ndarray, "k 28"]:
    """What is known of each candidate, its volume and its neighbours, one row per candidate.

    Columns: those of `describe_candidates` but the first; of the volume: weak and middling candidates relative to the
    strong ones (a noisy volume has many), distances of frames and pixels, usual width, whether the network looked more
    than once; of the neighbours: distances of the next two stronger ones, heat within 3 and within 5 µm; five maps at
    the candidate's place.
    """
    count, heat = len(found.score), found.score
    strong, weak = (heat > _STRONG).sum(), (heat <= _WEAK).sum()
    believed = heat > _BELIEVED
    volume = [
        np.log((weak + 2) / (strong + 5)),
        np.log((count - strong - weak + 2) / (strong + 5)),
        np.log(step_um[0] / 1.5),
        np.log(step_um[1] / 0.25),
        np.median(table[believed, 11]) if believed.any() else 0.0,
        float(looks > 1),
    ]
    place = found.centre * step_um
    apart = np.linalg.norm(place[:, None] - place[None], axis=2)
    np.fill_diagonal(apart, _FAR_UM)
    stronger = np.full((count, 2), _FAR_UM)
    ranked = np.sort(np.where(heat[None] > heat[:, None], apart, _FAR_UM), axis=1)[:, :2]
    stronger[:, : ranked.shape[1]] = ranked
    crowd = [np.where(apart < reach, heat[None], 0).sum(axis=1) / 3 for reach in _CROWDS_UM]
    here = np.clip(maps.read(*found.place.T)[:, _READ], -_LARGEST, _LARGEST)
    columns = (
        table[:, 1:],
        np.tile(volume, (count, 1)),
        np.clip(np.log(np.maximum(stronger, 0.3) / _USUAL_UM), -2, 1),
        np.stack(crowd, axis=1),
        here,
    )
    return np.concatenate(columns, axis=1).astype(np.float32)
