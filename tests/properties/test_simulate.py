"""Whatever the seed and the knobs, the truth of a simulated volume is consistent and always the same."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.simulations import simulate

knobs = st.fixed_dictionaries(
    {
        "preset": st.sampled_from(["easy", "typical", "hard"]),
        "shape": st.tuples(st.integers(1, 8), st.integers(40, 140), st.integers(40, 140)),
        "rate_hz": st.floats(1, 12),
        "flyback": st.floats(0, 0.6),
        "optics": st.fixed_dictionaries({"mirrored": st.booleans(), "debris": st.integers(0, 6)}),
    }
)
SEEDS = st.integers(1, 2**40)


@settings(max_examples=8)
@given(seed=SEEDS, knobs=knobs)
def test_volumes_and_truth_hold_together(seed: int, knobs: dict) -> None:
    simulation, again = (simulate(seed, volumes=2, **knobs) for _ in range(2))
    data = simulation.recording.read(1, (0, 1))
    assert data.shape == (2, *knobs["shape"])
    assert np.array_equal(data, again.recording.read(1, (0, 1)))
    annotation = simulation.annotate(1)
    regions = annotation.regions
    frames, rows, columns = knobs["shape"]
    x, y, w, h = regions.box_px.T
    assert ((x >= 0) & (y >= 0) & (x + w <= columns) & (y + h <= rows)).all()
    assert ((regions.z >= 0) & (regions.z < frames)).all()
    assert set(regions.neuron.tolist()) == set(range(len(annotation)))
    assert len(np.unique(annotation.identity)) == len(annotation)
    assert np.isfinite(annotation.centre_um).all()
    assert annotation.head is not None
    assert abs(annotation.head.anterior_yx @ annotation.head.ventral_yx) < 1e-9


@settings(max_examples=8)
@given(seed=SEEDS, volumes=st.integers(1, 6), more=st.integers(1, 30), rate_hz=st.floats(0.05, 12))
def test_more_volumes_never_change_the_earlier_ones(seed: int, volumes: int, more: int, rate_hz: float) -> None:
    short = simulate(seed, volumes, shape=(4, 64, 64), rate_hz=rate_hz).world
    long = simulate(seed, volumes + more, shape=(4, 64, 64), rate_hz=rate_hz).world
    for name in ("red", "green", "ratio"):
        assert np.array_equal(getattr(short.light, name), getattr(long.light, name)[:volumes])
    steps = len(short.motion.heading_rad)
    for name in ("heading_rad", "centre_um", "focus_um", "roll_rad", "twist_rad", "stretch", "bends_rad", "wobble_um"):
        assert np.array_equal(getattr(short.motion, name), getattr(long.motion, name)[:steps]), name
    assert np.array_equal(short.blur_um, long.blur_um[:volumes])
