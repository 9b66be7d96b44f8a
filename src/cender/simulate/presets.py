"""The presets that benchmarks name, as differences from the defaults (which are `typical`).

They are frozen: a figure measured on a preset stays comparable only while the preset's hash stays the same. A
test holds the hashes; whoever changes a default or a preset changes them knowingly and says so in the
changelog.
"""

from typing import Any

PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "easy": {
        "anatomy": {"invisible": 0.0, "brightness_sd": 0.35, "flatness": (2.0, 3.0)},
        "motion": {
            "undulation_rad": 0.35,
            "swing_rad": 0.2,
            "deep_bends_per_min": 0.0,
            "omega_turns_per_min": 0.0,
            "twists_per_min": 0.0,
            "turning_rad_s": 0.2,
            "drift_um": 6.0,
            "stage_jumps_per_min": 0.0,
            "focus_um": 0.6,
            "roll_rad": 0.06,
            "wobble_um": 0.3,
        },
        "optics": {
            "peak_counts": 200.0,
            "haze": 0.004,
            "defocus_per_min": 0.0,
            "fading": 0.0,
            "flicker": 0.04,
            "debris": 0,
        },
        "camera": {"hot_pixels": 0.0},
    },
    "typical": {},
    "hard": {
        "anatomy": {"invisible": 0.09, "brightness_sd": 0.7},
        "motion": {
            "undulation_rad": 0.7,
            "undulation_hz": 0.6,
            "swing_rad": 0.55,
            "deep_bends_per_min": 9.0,
            "omega_turns_per_min": 1.2,
            "twists_per_min": 1.2,
            "turning_rad_s": 0.9,
            "drift_um": 22.0,
            "drift_s": 1.2,
            "stage_jumps_per_min": 8.0,
            "focus_um": 2.8,
            "roll_rad": 0.22,
            "wobble_um": 1.4,
        },
        "optics": {
            "peak_counts": 58.0,
            "haze": 0.014,
            "body_glow": 0.09,
            "neuropil": 0.08,
            "defocus_per_min": 6.0,
            "fading": 0.06,
            "flicker": 0.12,
            "debris": 5,
        },
    },
    # Nearest neighbours as in hand-annotated heads of several laboratories.
    "crowded": {"anatomy": {"closest_um": 1.5, "variation_um": 0.8, "packing": 0.86}},
}
