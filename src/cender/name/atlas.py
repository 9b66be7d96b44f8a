"""The average animal: where each named cell lies, how far it strays, and which colour it has.

Lengths are in units of `UNIT_UM`. The frame of the atlas is ``z y x`` with z from right to left, x along the body.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

UNIT_UM = 50.0
"""Length of the atlas' unit."""
ROUNDS = 12
"""Rounds of laying animals over their mean and averaging them anew."""
FEWEST_ANIMALS = 2
"""Animals that must show a cell for it to be in the atlas."""
PRIOR = 4.0
"""Sightings that the usual spread counts for in the spread of a single cell."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """``scale · rotation @ p + shift``; a rotation with determinant −1 is a mirror image."""

    scale: float
    rotation: Float[np.ndarray, "3 3"]
    shift: Float[np.ndarray, " 3"]

    def apply(self, points: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 3"]:
        """The points, moved."""
        return np.asarray(self.scale * points @ self.rotation.T + self.shift)

    @property
    def mirrored(self) -> bool:
        """Whether left and right change places."""
        return bool(np.linalg.det(self.rotation) < 0)


@dataclass(frozen=True, slots=True)
class Atlas:
    """Cells of the average animal, by name."""

    names: tuple[str, ...]
    mean: Float[np.ndarray, "k 3"]
    covariance: Float[np.ndarray, "k 3 3"]
    colour: Float[np.ndarray, "k f"]
    colour_spread: Float[np.ndarray, "k f"]
    sightings: Float[np.ndarray, " k"]

    def __len__(self) -> int:
        return len(self.names)


def fit_similarity(
    source: Float[np.ndarray, "n 3"],
    target: Float[np.ndarray, "n 3"],
    weight: Float[np.ndarray, " n"] | None = None,
    mirror: bool | None = False,
) -> Similarity:
    """The similarity that takes the source nearest to the target (Umeyama); ``mirror=None`` takes the better one."""
    share = np.full(len(source), 1 / len(source)) if weight is None else weight / weight.sum()
    from_middle, to_middle = share @ source, share @ target
    a, b = source - from_middle, target - to_middle
    u, s, vt = np.linalg.svd((b * share[:, None]).T @ a)
    turn = float(np.sign(np.linalg.det(u @ vt)))
    flip = 1.0 if mirror is None else (-turn if mirror else turn)
    signs = np.array([1.0, 1.0, flip])
    rotation = u @ np.diag(signs) @ vt
    scale = float((s * signs).sum() / max(float((share[:, None] * a**2).sum()), 1e-12))
    return Similarity(scale, rotation, to_middle - scale * rotation @ from_middle)


def swap_side(name: str, names: frozenset[str] | Mapping[str, int]) -> str:
    """The cell on the other side: AVAL for AVAR; a cell without a partner stays itself."""
    if name[-1:] in {"L", "R"}:
        other = name[:-1] + ("R" if name[-1] == "L" else "L")
        if other in names:
            return other
    return name


def pair_sides(names: Sequence[str]) -> Int[np.ndarray, " k"]:
    """For each cell the row of its partner on the other side, its own row where it has none."""
    place = {name: row for row, name in enumerate(names)}
    return np.array([place[swap_side(name, place)] for name in names])


def align_animals(
    positions: Sequence[Float[np.ndarray, "_ 3"]], names: Sequence[Sequence[str]]
) -> tuple[dict[str, Float[np.ndarray, " 3"]], list[Similarity]]:
    """Generalised Procrustes analysis on names: the mean place of each name and every animal's way into that frame.

    Positions are in µm; reflections are free, because some microscopes show mirror images.
    """
    start = max(range(len(names)), key=lambda one: sum(bool(name) for name in names[one]))
    mean = {
        name: place / UNIT_UM
        for name, place in zip(names[start], positions[start] - positions[start].mean(0), strict=True)
        if name
    }
    ways: list[Similarity] = []
    for _ in range(ROUNDS):
        ways = []
        places: dict[str, list[Float[np.ndarray, " 3"]]] = {}
        for points, given in zip(positions, names, strict=True):
            rows = [row for row, name in enumerate(given) if name in mean]
            if len(rows) < 4:
                ways.append(Similarity(1 / UNIT_UM, np.eye(3), -points.mean(0) / UNIT_UM))
                continue
            target = np.array([mean[given[row]] for row in rows])
            way = _fit_robustly(points[rows], target)
            ways.append(way)
            for row, place in enumerate(way.apply(points)):
                if given[row]:
                    places.setdefault(given[row], []).append(place)
        # Fits to noisy places shrink an animal a little, and round after round that would shrink the atlas.
        size = float(np.exp(np.median(np.log([way.scale * UNIT_UM for way in ways]))))
        mean = {name: np.median(found, axis=0) / size for name, found in places.items()}
        mean, turn = _lay_frame(mean)
        turn = replace(turn, scale=turn.scale / size)
        ways = [_compose(turn, way) for way in ways]
    return mean, ways


def build_atlas(
    positions: Sequence[Float[np.ndarray, "_ 3"]],
    names: Sequence[Sequence[str]],
    colours: Sequence[Float[np.ndarray, "_ f"]],
) -> tuple[Atlas, list[Similarity]]:
    """The atlas of annotated animals (positions in µm), and every animal's way into its frame.

    Names that fewer than `FEWEST_ANIMALS` have are left out: one sighting tells nothing about the spread.
    """
    mean, ways = align_animals(positions, names)
    seen: dict[str, list[tuple[Float[np.ndarray, " 3"], Float[np.ndarray, " f"]]]] = {name: [] for name in mean}
    for points, given, colour, way in zip(positions, names, colours, ways, strict=True):
        for name, place, look in zip(given, way.apply(points), colour, strict=True):
            if name:
                seen[name].append((place, look))
    kept = tuple(sorted(name for name, found in seen.items() if len(found) >= FEWEST_ANIMALS))
    width = colours[0].shape[1]
    centre, spread = np.zeros((len(kept), 3)), np.zeros((len(kept), 3, 3))
    look, look_spread = np.zeros((len(kept), width)), np.ones((len(kept), width))
    found = {name: np.array([place for place, _ in seen[name]]) for name in kept}
    away = np.concatenate([places - places.mean(0) for places in found.values()])
    usual = np.cov(away.T) + 1e-5 * np.eye(3)
    for row, name in enumerate(kept):
        places = found[name]
        centre[row] = np.median(places, axis=0)
        offset = places - centre[row]
        spread[row] = (offset.T @ offset + PRIOR * usual) / (len(places) + PRIOR)
        looks = np.array([one for _, one in seen[name] if one[-2] > 0])
        if len(looks):
            look[row] = looks.mean(0)
            look_spread[row] = np.sqrt((((looks - look[row]) ** 2).sum(0) + PRIOR * 0.25) / (len(looks) + PRIOR))
    counts = np.array([float(len(seen[name])) for name in kept])
    return Atlas(kept, centre, spread, look, look_spread, counts), ways


def fit_named(position_um: Float[np.ndarray, "n 3"], names: Sequence[str], atlas: Atlas) -> Similarity:
    """The way of a named animal into the atlas, mirrored where its names say so."""
    place = {name: row for row, name in enumerate(atlas.names)}
    rows = [row for row, name in enumerate(names) if name in place]
    return _fit_robustly(position_um[rows], atlas.mean[[place[names[row]] for row in rows]])


def _fit_robustly(source: Float[np.ndarray, "n 3"], target: Float[np.ndarray, "n 3"]) -> Similarity:
    """A similarity, mirrored or not, that a few wrong names cannot pull away."""
    weight = np.ones(len(source))
    way = fit_similarity(source, target, weight, None)
    for _ in range(4):
        distance = np.linalg.norm(way.apply(source) - target, axis=1)
        usual = max(float(np.median(distance)), 1e-3)
        weight = 1 / (1 + (distance / (2 * usual)) ** 2)
        way = fit_similarity(source, target, weight, None)
    return way


def _lay_frame(mean: Mapping[str, Float[np.ndarray, " 3"]]) -> tuple[dict[str, Float[np.ndarray, " 3"]], Similarity]:
    """The mean animal with z from right to left and x along the body, around its middle."""
    names = list(mean)
    places = np.array([mean[name] for name in names])
    middle = places.mean(0)
    across = [mean[name] - mean[name[:-1] + "R"] for name in names if name.endswith("L") and name[:-1] + "R" in mean]
    z = np.mean(across, axis=0) if across else np.linalg.svd(places - middle)[2][2]
    z = z / np.linalg.norm(z)
    flat = (places - middle) - np.outer((places - middle) @ z, z)
    x = np.linalg.svd(flat, full_matrices=False)[2][0]
    if (flat @ x) @ (flat @ x) ** 2 < 0:
        x = -x
    turn = Similarity(1.0, np.array([z, np.cross(x, z), x]), np.zeros(3))
    turn = Similarity(1.0, turn.rotation, -turn.rotation @ middle)
    return dict(zip(names, turn.apply(places), strict=True)), turn


def _compose(second: Similarity, first: Similarity) -> Similarity:
    return Similarity(
        second.scale * first.scale,
        second.rotation @ first.rotation,
        second.scale * second.rotation @ first.shift + second.shift,
    )
