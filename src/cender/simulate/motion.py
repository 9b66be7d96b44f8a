"""How the head moves: a bending centre line that turns, drifts, rolls and twists, at every camera frame."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from cender.simulate.params import MotionParams, SimulateParams
from cender.simulate.processes import Events, draw_events, draw_smooth, draw_steps

ARC_STEP_UM = 2.0
"""Step along the centre line."""
ARC_UM = np.arange(0.0, 322.0, ARC_STEP_UM)
"""Points of the centre line, from the nose."""
PIVOT_UM = 70.0
"""Point of the centre line that the body bends, stretches and twists about."""
WAVELENGTH_UM = 520.0
"""Length of the wave that runs along the body."""
SHARPEST_PER_UM = 0.055
"""Largest curvature of the centre line."""
WOBBLE_MODES = 4
"""Waves whose sum lets tissue wobble."""
# Over which a bend begins and ends.
EDGE_UM = 12.0
EventKind = Literal["deep bend", "omega turn", "twist"]


@dataclass(frozen=True, slots=True)
class Motion:
    """Posture and place at every step of the scanner, one row per step.

    ``bends_rad`` holds the undulation's phase, then the swing, deep-bend and Ω amplitudes. ``centre_um`` is
    ``y x`` of the pivot (70 µm behind the nose) from the middle of the field.
    """

    step_s: float
    steps_per_volume: int
    side: int
    undulation_rad: float
    heading_rad: Float[np.ndarray, " t"]
    centre_um: Float[np.ndarray, "t 2"]
    focus_um: Float[np.ndarray, " t"]
    roll_rad: Float[np.ndarray, " t"]
    twist_rad: Float[np.ndarray, " t"]
    stretch: Float[np.ndarray, " t"]
    bends_rad: Float[np.ndarray, "t 4"]
    wobble_um: Float[np.ndarray, "t 4 3"]
    wobble_wave: Float[np.ndarray, "4 4"]
    events: dict[EventKind, Events]

    def events_at(self, start_s: float, stop_s: float) -> tuple[EventKind, ...]:
        """The events whose stronger half falls into a stretch of time."""
        return tuple(
            kind
            for kind, events in self.events.items()
            if np.any(
                (events.start_s + 0.25 * events.duration_s < stop_s)
                & (events.start_s + 0.75 * events.duration_s > start_s)
            )
        )


def make_motion(params: SimulateParams, rng: np.random.Generator) -> Motion:
    """The path of one animal through the whole recording."""
    move = params.motion
    steps_per_volume = round(params.shape[0] / (1 - params.flyback))
    step_s = 1 / (params.rate_hz * steps_per_volume)
    steps = params.volumes * steps_per_volume
    times_s = np.arange(steps) * step_s
    # Every process has a stream of its own, so that a knob of one does not change the others.
    streams = iter(rng.spawn(16))
    side = {"left": -1, "right": 1}.get(move.side) or int(next(streams).choice((-1, 1)))

    def smooth(lasting_s: float, columns: int = 1) -> Float[np.ndarray, "t k"]:
        return draw_smooth(steps, step_s, lasting_s, next(streams), columns)

    events = _draw_all_events(move, float(steps * step_s), next(streams))
    phase = 2 * np.pi * move.undulation_hz * np.cumsum(1 + 0.35 * smooth(4.0)[:, 0]) * step_s
    turning = move.turning_rad_s * smooth(1.2)[:, 0]
    chance = next(streams)
    heading = chance.uniform(0, 2 * np.pi) + np.cumsum(turning) * step_s
    bends = np.stack(
        [
            phase + chance.uniform(0, 2 * np.pi),
            move.swing_rad * smooth(0.7)[:, 0],
            events["deep bend"].envelope(times_s),
            events["omega turn"].envelope(times_s),
        ],
        axis=1,
    )
    drift = move.drift_um * smooth(move.drift_s, 2)
    jumps = draw_steps(move.stage_jumps_per_min, move.stage_jump_um, times_s, 1.5, next(streams))
    waves = next(streams)
    return Motion(
        step_s,
        steps_per_volume,
        side,
        move.undulation_rad,
        heading,
        drift + jumps,
        move.focus_um * smooth(0.7)[:, 0],
        move.roll_rad * smooth(1.5)[:, 0],
        move.roll_rad * smooth(1.5)[:, 0] + events["twist"].envelope(times_s),
        1 + move.stretch * smooth(1.2)[:, 0],
        bends,
        (move.wobble_um / np.sqrt(WOBBLE_MODES / 2) * smooth(0.7, 3 * WOBBLE_MODES)).reshape(-1, WOBBLE_MODES, 3),
        np.concatenate(
            [waves.normal(0, 0.06, (WOBBLE_MODES, 3)), waves.uniform(0, 2 * np.pi, (WOBBLE_MODES, 1))], axis=1
        ),
        events,
    )


def _draw_all_events(move: MotionParams, until_s: float, rng: np.random.Generator) -> dict[EventKind, Events]:
    bends, turns, twists = rng.spawn(3)
    return {
        "deep bend": draw_events(move.deep_bends_per_min, until_s, (1.0, 2.2), (1.0, 1.7), bends),
        "omega turn": draw_events(move.omega_turns_per_min, until_s, (2.5, 4.5), (3.4, 4.6), turns),
        "twist": draw_events(move.twists_per_min, until_s, (1.2, 2.5), (1.1, 2.6), twists),
    }


def bend_centre_line(motion: Motion, steps: slice) -> tuple[Float[np.ndarray, "t s 2"], Float[np.ndarray, "t s"]]:
    """Centre line as ``y x`` µm from the middle of the field, and its direction (to the tail) in radians.

    Curvature is integrated from the pivot both ways, as the tracking stage holds the head and not the tail.
    """
    phase, swing, deep, omega = motion.bends_rad[steps, :, None].transpose(1, 0, 2)
    curvature = (
        motion.undulation_rad / 100 * np.sin(2 * np.pi * ARC_UM / WAVELENGTH_UM - phase)
        + swing / 60 * _window(0.0, 75.0)
        + deep / 80 * _window(35.0, 115.0)
        + omega / 230 * _window(25.0, 300.0)
    )
    curvature = np.clip(curvature, -SHARPEST_PER_UM, SHARPEST_PER_UM)
    angle = np.cumsum(curvature, axis=1) * ARC_STEP_UM
    pivot = int(PIVOT_UM / ARC_STEP_UM)
    angle += motion.heading_rad[steps, None] - angle[:, pivot : pivot + 1]
    line = np.cumsum(np.stack([np.sin(angle), np.cos(angle)], axis=2), axis=1) * ARC_STEP_UM
    line += motion.centre_um[steps, None] - line[:, pivot : pivot + 1]
    return line, angle


def place_points(motion: Motion, adl_um: Float[np.ndarray, "n 3"], steps: slice) -> Float[np.ndarray, "t n 3"]:
    """Where points of the body are at every step: ``z y x`` in µm from the middle of the scanned volume.

    Dorsal lies to one side of the centre line in the image and left above or below it in depth: an animal on
    its other side is turned by half a circle about its long axis, never mirrored.
    """
    wave = np.sin(adl_um @ motion.wobble_wave[:, :3].T + motion.wobble_wave[:, 3])
    moved = adl_um + np.einsum("nm,tmk->tnk", wave, motion.wobble_um[steps])
    along = PIVOT_UM + (moved[..., 0] - PIVOT_UM) * motion.stretch[steps, None]
    line, angle = bend_centre_line(motion, steps)
    index = np.clip(along / ARC_STEP_UM, 0, len(ARC_UM) - 2)
    low = index.astype(int)
    rest = (index - low)[..., None]
    row = np.arange(len(line))[:, None]
    # Points in front of the nose tip continue its direction.
    beyond = (along / ARC_STEP_UM - index)[..., None] * ARC_STEP_UM
    at = angle[row, low] * (1 - rest[..., 0]) + angle[row, low + 1] * rest[..., 0]
    spine = line[row, low] * (1 - rest) + line[row, low + 1] * rest
    spine = spine + beyond * np.stack([np.sin(at), np.cos(at)], axis=2)
    roll = motion.roll_rad[steps, None] + motion.twist_rad[steps, None] * (PIVOT_UM - along) / PIVOT_UM
    dorsal = moved[..., 1] * np.cos(roll) - moved[..., 2] * np.sin(roll)
    left = moved[..., 1] * np.sin(roll) + moved[..., 2] * np.cos(roll)
    across = motion.side * dorsal[..., None] * np.stack([np.cos(at), -np.sin(at)], axis=2)
    depth = motion.side * left + motion.focus_um[steps, None]
    return np.concatenate([depth[..., None], spine + across], axis=2)


def _window(start_um: float, stop_um: float) -> Float[np.ndarray, " s"]:
    """One between two places along the body, with soft edges."""
    rise = 1 / (1 + np.exp(-(ARC_UM - start_um) / EDGE_UM * 4))
    fall = 1 / (1 + np.exp((ARC_UM - stop_um) / EDGE_UM * 4))
    return np.asarray(rise * fall)
