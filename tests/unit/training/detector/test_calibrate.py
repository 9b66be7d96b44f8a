"""Validation and calibration: what nobody marked is neither right nor wrong."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cender.training.detector import calibrate
from cender.training.detector.samples import Sample
from cender.types import Maps, Weights


def make_head() -> tuple[Sample, Maps]:
    """Two neurons of one frame each, one of them not marked, and maps that show both."""
    maps = np.full((3, 7, 20, 20), -9.0, np.float32)
    maps[:, 2:] = 0
    for y, x in ((5, 5), (14, 14)):
        maps[1, :2, y, x] = 3
    centre = np.array([[1.0, 10.5, 10.5]])
    box = np.array([[6.5, 6.5, 9.0, 9.0]])
    image, step_um = np.zeros((3, 40, 40), np.float32), np.array([1.5, 0.3, 0.3])
    return Sample(image, np.array([1]), box, np.array([0]), centre, np.zeros((0, 3)), step_um), Maps.pack(maps)


def test_what_is_found_at_an_unsure_place_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    sample, maps = make_head()
    monkeypatch.setattr(calibrate, "build_torch_score", lambda _: lambda __: maps)
    assert calibrate.validate({}, [sample]) == pytest.approx((2 / 3, 2 / 3))
    partial = replace(sample, unsure=np.array([[1.0, 28.5, 28.5]]))
    assert calibrate.validate({}, [partial]) == pytest.approx((1.0, 1.0))


def test_calibration_is_undone_exactly_and_remembered() -> None:
    rng = np.random.default_rng(0)
    arrays = {"out.weight": rng.normal(size=(28, 4, 1, 1)), "out.bias": rng.normal(size=28)}
    calibration = [(2.8, 1.2), (0.5, -2.0)]
    scaled = calibrate.calibrate(arrays, calibration)
    assert not np.allclose(scaled["out.bias"][:8], arrays["out.bias"][:8])
    np.testing.assert_allclose(scaled["out.bias"][8:], arrays["out.bias"][8:], rtol=1e-6)
    weights = Weights(scaled, {"calibration": json.dumps(calibration)})
    back = calibrate.undo_calibration(weights)
    for name, value in arrays.items():
        np.testing.assert_allclose(back[name], value, atol=1e-5)
    # Weights that say nothing were not calibrated.
    np.testing.assert_array_equal(calibrate.undo_calibration(Weights(scaled))["out.bias"], scaled["out.bias"])


def test_validation_does_not_depend_on_what_scores_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    sample, maps = make_head()
    partial = replace(sample, unsure=np.array([[1.0, 28.5, 28.5]]))
    shown = []
    for shift in (0.0, -3.0):
        packed = maps.packed.copy()
        packed[:2] += shift
        moved = Maps(packed)
        monkeypatch.setattr(calibrate, "build_torch_score", lambda _, moved=moved: lambda __: moved)
        shown.append(calibrate.validate({}, [partial]))
    assert shown[0] == shown[1] == pytest.approx((1.0, 1.0))
