"""Small simulated recordings: as the presets have them, but with few and coarse pixels so that they are quick."""

from typing import Any

from cender.simulate import SimulateParams, Simulation, simulate_recording

SHAPE = (12, 256, 256)
# Half a millimetre a thousand pixels: the whole head lies in the small image.
VOXEL_UM = (1.5, 0.6, 0.6)
# Without light that is no nucleus, a nucleus can be looked at alone.
DARK: dict[str, Any] = {"haze": 0.0, "body_glow": 0.0, "neuropil": 0.0, "debris": 0}
STILL: dict[str, Any] = {
    "undulation_rad": 0.0, "swing_rad": 0.0, "deep_bends_per_min": 0.0, "omega_turns_per_min": 0.0,
    "twists_per_min": 0.0, "turning_rad_s": 0.0, "drift_um": 0.0, "stage_jumps_per_min": 0.0, "focus_um": 0.0,
    "roll_rad": 0.0, "stretch": 0.0, "wobble_um": 0.0,
}  # fmt: skip


def simulate(seed: int = 1, volumes: int = 3, **knobs: Any) -> Simulation:
    """A small recording; ``knobs`` are those of `SimulateParams`, sections as dictionaries."""
    given: dict[str, Any] = {"shape": SHAPE, "voxel_um": VOXEL_UM, **knobs}
    return simulate_recording(SimulateParams(seed=seed, volumes=volumes, **given))
