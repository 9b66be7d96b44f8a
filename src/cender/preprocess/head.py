"""The head of one volume: where it is, how it lies, and how far that can be trusted."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Shaped

from cender.errors import UnusableVolume
from cender.preprocess.compass import (
    ANGLE_RAD,
    Compass,
    Reading,
    anterior_of,
    read_again,
    read_compass,
    ventral_of,
)
from cender.preprocess.outline import cut_out, draw_mask, find_hull, find_origin, join_spots, trace_outline
from cender.preprocess.paper import find_head_paper
from cender.preprocess.params import PreprocessParams
from cender.preprocess.projection import Picture, take_picture
from cender.preprocess.spots import Spots, find_crowds, find_spots
from cender.preprocess.view import judge_view
from cender.types import Head, VoxelSize

FEWEST_SPOTS = 8
"""A volume with fewer bright spots is refused."""
SURE_HEAD_LOG_ODDS = 4.0
"""Where the compass sees a head with these log-odds, less crowded places are not looked at."""
SURE_POSE = 0.9
"""A pose that is less probable is looked at again, in other sizes."""
FAINT_CONTRAST, FEW_SPOTS = 8.0, 16
"""Median contrast of the spots, in units of the noise, and their number, below which quality falls."""
BEND_COST = 0.5
"""Share of its quality that a volume loses where the head is certainly twisted or in an Ω-turn."""


@dataclass(frozen=True, slots=True)
class Pose:
    """The likeliest way a head lies: angle of anterior from x towards y, row of hypotheses, and what others get.

    ``log_flips`` are log-probabilities of the pose itself, of its anterior turned over, its ventral, and both.
    """

    angle_rad: float
    row: int
    log_flips: Float[np.ndarray, " 4"]

    @property
    def anterior(self) -> Float[np.ndarray, " 2"]:
        """Unit vector ``y x``."""
        return anterior_of(self.angle_rad)

    @property
    def ventral(self) -> Float[np.ndarray, " 2"]:
        """Unit vector ``y x``."""
        return ventral_of(self.angle_rad, self.row)


def find_head(
    red: Shaped[np.ndarray, "z y x"], voxel_um: VoxelSize, compass: Compass, params: PreprocessParams | None = None
) -> Head:
    """Head region and axes of one volume, or `UnusableVolume` with what was found instead.

    Parameters
    ----------
    red
        The reference channel; any real number type, one frame or many.
    voxel_um
        Size of a voxel.
    compass
        The network that scores how a head lies; `cender.nets.compass_graph.build_compass` makes it.
    params
        Method and margins; the paper's method does not use the compass.
    """
    params = params or PreprocessParams()
    if params.method == "paper":
        return find_head_paper(red, voxel_um, params)
    return examine_picture(take_picture(red, voxel_um), voxel_um, compass, params)


def examine_picture(picture: Picture, voxel_um: VoxelSize, compass: Compass, params: PreprocessParams) -> Head:
    """The head in a small picture."""
    spots = find_spots(picture)
    if len(spots) < FEWEST_SPOTS:
        raise UnusableVolume(
            f"found {len(spots)} bright spots of the size of a nucleus; a head shows at least {FEWEST_SPOTS}",
            "no head",
        )
    place, reading = choose_head(spots, compass)
    pose = choose_pose(reading)
    if measure_confidence(reading, pose) < SURE_POSE:
        reading = read_again(spots, place, compass)
        pose = choose_pose(reading)
    confidence = measure_confidence(reading, pose)
    joined = join_spots(spots, place, params.reach_um)
    mask = draw_mask(spots, joined, place, pose.anterior)
    places = np.concatenate([spots.place[joined], place[None]])
    return Head(
        crop=cut_out(picture, places, voxel_um[1:], params),
        outline_yx=trace_outline(picture, mask),
        origin_yx=find_origin(picture, spots, mask),
        anterior_yx=pose.anterior,
        ventral_yx=pose.ventral,
        quality=confidence * measure_trust(reading, spots.contrast[joined]),
        confidence=confidence,
        hull_yx=find_hull(picture, places),
        doubts=judge_view(spots, joined, place, (pose.anterior, pose.ventral), compass),
    )


def choose_head(spots: Spots, compass: Compass) -> tuple[Float[np.ndarray, " 2"], Reading]:
    """The place among the crowded ones where the compass sees a head best; the densest if that is surely one."""
    best: tuple[Float[np.ndarray, " 2"], Reading] | None = None
    for place in find_crowds(spots):
        reading = read_compass(spots, place, compass)
        if best is None or reading.head > best[1].head:
            best = place, reading
        if reading.head > SURE_HEAD_LOG_ODDS:
            break
    if best is None:
        raise UnusableVolume(f"found {len(spots)} bright spots, but nowhere do they crowd as in a head", "no head")
    return best


def choose_pose(reading: Reading) -> Pose:
    """The pose that most of the probability is near to."""
    probability = np.exp(reading.log_probability)
    wave = np.exp(1j * ANGLE_RAD)
    near = np.cos(ANGLE_RAD[:, None] - ANGLE_RAD[None])
    row, column = np.unravel_index(int((probability @ np.clip(near, 0, None)).argmax()), probability.shape)
    angle = float(np.angle((probability[row] * wave) @ (near[column] > 0.3)))
    ahead = np.cos(ANGLE_RAD - angle)
    share = np.where(np.abs(ahead) < 1e-9, 0.5, ahead > 0)
    same, other = probability[row], probability[1 - row]
    # Turning one axis over changes the row, turning both over does not.
    flips = [same @ share, other @ (1 - share), other @ share, same @ (1 - share)]
    return Pose(angle, int(row), np.log(np.clip(flips, 1e-12, 1)))


def measure_confidence(reading: Reading, pose: Pose) -> float:
    """Probability of a pose; where there may be no head at all, each of the four flips is as likely as the others."""
    is_head = float(1 / (1 + np.exp(-reading.head)))
    return is_head * float(np.exp(pose.log_flips[0])) + (1 - is_head) / 4


def measure_trust(reading: Reading, contrast: Float[np.ndarray, " n"]) -> float:
    """How far a volume can be trusted whatever its directions: a head, neither twisted nor in an Ω-turn, not dim."""
    is_head = float(1 / (1 + np.exp(-reading.head)))
    bright = float(np.clip(np.median(contrast) / FAINT_CONTRAST, 0, 1)) if len(contrast) else 0.0
    enough = float(np.clip(len(contrast) / FEW_SPOTS, 0, 1))
    return is_head * (1 - BEND_COST * reading.bent) * bright * enough
