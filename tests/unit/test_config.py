"""Settings: TOML in and out, unknown keys refused with the nearest known one, clear words for wrong values."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cender.config import EVERYDAY, Config, build_config, format_config, load_config
from cender.errors import ConfigError


def test_defaults_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "cender.toml"
    path.write_text(format_config(Config()), encoding="utf-8")
    assert load_config(path) == Config()


def test_every_setting_is_explained() -> None:
    lines = format_config(Config()).splitlines()
    bare = [
        line
        for before, line in zip(["", *lines], lines, strict=False)
        if "=" in line.partition("#")[0] and not before.startswith("#")
    ]
    assert bare == []


sections = st.fixed_dictionaries(
    {},
    optional={
        "recording": st.fixed_dictionaries(
            {},
            optional={
                "axes": st.sampled_from(["TCZYX", "NYX", "ZYX"]),
                "dataset": st.text(max_size=8),
                "voxel_um": st.tuples(*[st.floats(0.01, 100)] * 3),
                "rate_hz": st.floats(1e-6, 1e6),
                "roles": st.lists(st.sampled_from(["red", "green", "other"]), min_size=1, max_size=3),
                "first_frame": st.integers(0, 99),
                "scan": st.sampled_from(["up", "up-down"]),
            },
        ),
        "simulate": st.fixed_dictionaries(
            {},
            optional={
                "preset": st.sampled_from(["easy", "typical", "hard"]),
                "seed": st.integers(0, 2**40),
                "motion": st.fixed_dictionaries({}, optional={"drift_um": st.floats(0, 1e3)}),
                "optics": st.fixed_dictionaries({}, optional={"mirrored": st.booleans()}),
            },
        ),
    },
)


@given(sections)
@settings(max_examples=40)
def test_any_settings_round_trip(tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any]) -> None:
    config = build_config(values)
    path = tmp_path_factory.mktemp("config") / "cender.toml"
    path.write_text(format_config(config), encoding="utf-8", newline="")
    assert load_config(path) == config


def test_sets_lie_over_the_file_and_the_file_over_the_base(tmp_path: Path) -> None:
    path = tmp_path / "cender.toml"
    path.write_text("[recording]\nrate_hz = 5\nfirst_frame = 2\n")
    base = {"recording": {"rate_hz": 1.0, "axes": "TZYX"}}
    recording = load_config(path, ["recording.first_frame=3"], base).recording
    assert (recording.axes, recording.rate_hz, recording.first_frame) == ("TZYX", 5.0, 3)
    assert base == {"recording": {"rate_hz": 1.0, "axes": "TZYX"}}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("recording.rate_hz=5", 5.0),
        ("recording.rate_hz = 5.5", 5.5),
        ("recording.voxel_um=[1.5, 0.3, 0.3]", (1.5, 0.3, 0.3)),
        ("recording.axes=tzyx", "TZYX"),
        ("recording.axes='TZYX'", "TZYX"),
        ("recording.dataset=/a/b c", "/a/b c"),
        ("recording.dataset=7", "7"),
        ("recording.green=C:\\new\\worm.tif", "C:\\new\\worm.tif"),
        ("recording.green=a=b.tif", "a=b.tif"),
        ("recording.dataset=1\nscan = 2", "1\nscan = 2"),
    ],
)
def test_set_reads_values_as_people_type_them(word: str, expected: object) -> None:
    name = word.partition("=")[0].strip().rpartition(".")[2]
    assert getattr(Config().recording, name) != expected
    assert getattr(load_config(None, [word]).recording, name) == expected


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("recording.rate=5", "unknown setting 'recording.rate'; did you mean 'recording.rate_hz'?"),
        ("recrding.rate_hz=5", "unknown setting 'recrding'; did you mean 'recording'?"),
        ("first_frame=5", "unknown setting 'first_frame'; did you mean 'recording.first_frame'?"),
        ("simulate.motion.drift=5", "did you mean 'simulate.motion.drift_"),
        ("simulate.drift_um=5", "did you mean 'simulate.motion.drift_um'?"),
        ("recording.qqqq=5", "unknown setting 'recording.qqqq'; known here: axes, "),
        ("recording.rate_hz=fast", "recording.rate_hz: expected a valid number"),
        ("recording.rate_hz=-1", "recording.rate_hz: expected greater than 0 (found -1)"),
        ("recording.scan=down", "recording.scan: expected 'up' or 'up-down' (found 'down')"),
        ("recording.voxel_um=[1,2]", "recording.voxel_um: a voxel has three sides in micrometres, z first"),
        ("recording.axes=ZZZ", "each once; found 'ZZZ'"),
        ("recording=5", "recording is a section of settings, like recording.name = value, not a value (found 5)"),
        ("simulate.motion=5", "simulate.motion is a section of settings"),
        ("simulate.volumes=2.5", "simulate.volumes: expected a valid integer"),
        ("recording.rate_hz", "--set expects key=value, for example recording.rate_hz=5; found 'recording.rate_hz'"),
        ("=5", "--set expects key=value"),
    ],
)
def test_wrong_setting_is_refused_in_words(word: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, [word])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[recording\n", "is not valid TOML"),
        (b"\xff\xfe", "is not valid TOML"),
        (b"[recording]\nrat_hz = 5\n", "did you mean 'recording.rate_hz'?"),
    ],
)
def test_wrong_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "cender.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert message in str(caught.value)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such settings file; `cender config` prints one"):
        load_config(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="cannot be read as a settings file"):
        load_config(tmp_path)


def test_command_prints_settings_that_it_reads(tmp_path: Path) -> None:
    from cender.cli.app import app

    path = tmp_path / "cender.toml"
    first = CliRunner().invoke(app, ["config", "--set", "recording.rate_hz=7"])
    assert first.exit_code == 0
    path.write_text(first.stdout, encoding="utf-8")
    assert load_config(path).recording.rate_hz == 7.0
    again = CliRunner().invoke(app, ["config", "--config", str(path), "--section", "recording"])
    assert "rate_hz = 7.0" in again.stdout
    assert "[simulate]" not in again.stdout
    wrong = CliRunner().invoke(app, ["config", "--section", "recordings"])
    assert isinstance(wrong.exception, ConfigError)


def test_everyday_settings_are_some_thirty_that_exist() -> None:
    text = format_config(Config(), which="everyday")
    said = [line for line in text.splitlines() if "=" in line and not line.startswith("[")]
    assert 30 <= len(EVERYDAY) <= 40
    assert len(set(EVERYDAY)) == len(EVERYDAY)
    assert len([line for line in said if line.removeprefix("# ").split(" =")[0].isidentifier()]) == len(EVERYDAY)
    assert build_config(tomllib.loads(text)) == Config()


@pytest.mark.parametrize("word", ["merge.reach=0.7", "simulate.motion.roll_rad=0.3", "simulate.preset=hard"])
def test_what_was_changed_is_among_the_everyday_settings(word: str) -> None:
    config = load_config(None, [word])
    text = format_config(config, which="everyday")
    assert word.split("=")[0].rsplit(".", 1)[-1] in text
    assert build_config(tomllib.loads(text)) == config
    assert len(text.splitlines()) < len(format_config(config).splitlines()) / 2
