"""Settings made in Python are refused as those of the command line are: with an error of ours, in one line."""

import pickle
from collections.abc import Callable

import pytest

import cender
from cender.config import Config, load_config
from cender.errors import ConfigError
from cender.io import RecordingParams


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RecordingParams(voxel_um=0.3), "^RecordingParams: voxel_um: a voxel has three sides"),
        (lambda: RecordingParams(voxels=(1, 1, 1)), "^RecordingParams: there is no setting voxels"),
        (lambda: cender.SimulateParams(volumes=0), "^SimulateParams: volumes: expected greater than"),
        (lambda: Config(recording={"rate_hz": -1}), r"^Config: recording\.rate_hz: expected greater than 0"),
        (lambda: load_config(sets=["recording.rate_hz=-1"]), r"^recording\.rate_hz: expected greater than 0"),
    ],
)
def test_a_wrong_setting_is_an_error_of_ours(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_settings_travel() -> None:
    params = RecordingParams(rate_hz=5, voxel_um="1.5,0.3,0.3")
    assert pickle.loads(pickle.dumps(params)) == params  # noqa: S301
    assert RecordingParams.model_validate_json(params.model_dump_json()) == params
