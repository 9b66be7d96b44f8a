"""Every knob can be turned in TOML; presets are frozen; what is unknown is refused."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from cender.config import Config, build_config, format_config, load_config
from cender.errors import ConfigError
from cender.simulate import SimulateParams
from cender.simulate.presets import PRESETS

# Benchmarks name these. Whoever changes a preset or a default changes its line here and says so in the changelog.
FROZEN = {
    "easy": "d9aa80a771e7",
    "typical": "08cdb8ad991e",
    "hard": "46bff50f7c3d",
    "crowded": "a26e788441bf",
}


@pytest.mark.parametrize("preset", FROZEN)
def test_preset_is_frozen(preset: Any) -> None:
    assert SimulateParams(preset=preset).hash == FROZEN[preset]


def test_every_preset_is_frozen() -> None:
    assert set(FROZEN) == set(PRESETS)
    assert len(set(FROZEN.values())) == len(FROZEN)


def test_hash_names_the_knobs_and_neither_seed_nor_length() -> None:
    base = SimulateParams()
    assert SimulateParams(seed=7, volumes=3).hash == base.hash
    assert SimulateParams(rate_hz=6).hash != base.hash
    assert SimulateParams(optics={"haze": 0.5}).hash != base.hash


def list_knobs(model: type[BaseModel], prefix: str = "simulate.") -> list[str]:
    found = []
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            found += list_knobs(inner, f"{prefix}{name}.")
        else:
            found.append(prefix + name)
    return found


def read_knob(config: Config, name: str) -> Any:
    value: Any = config
    for part in name.split("."):
        value = getattr(value, part)
    return value


def turn(value: Any) -> Any:
    """Another value of the same kind that any knob accepts."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1 if value < 65535 else 1000
    if isinstance(value, float):
        return value * 0.5 + 0.01
    if isinstance(value, str):
        return {"typical": "hard", "either": "left"}[value]
    return tuple(turn(one) for one in value)


@pytest.mark.parametrize("knob", list_knobs(SimulateParams))
def test_every_knob_works_in_toml(knob: str, tmp_path: Path) -> None:
    old = read_knob(Config(), knob)
    new = turn(old)
    assert new != old
    section, name = knob.rsplit(".", 1)
    text = f'"{new}"' if isinstance(new, str) else str(list(new) if isinstance(new, tuple) else new).lower()
    (tmp_path / "settings.toml").write_text(f"[{section}]\n{name} = {text}\n", encoding="utf-8")
    config = load_config(tmp_path / "settings.toml")
    assert read_knob(config, knob) == pytest.approx(new)
    if knob != "simulate.preset":
        for other in set(list_knobs(SimulateParams)) - {knob}:
            assert read_knob(config, other) == read_knob(Config(), other)


def test_one_knob_over_a_preset_keeps_the_rest_of_it() -> None:
    hard = SimulateParams(preset="hard")
    mine = build_config({"simulate": {"preset": "hard", "optics": {"haze": 0.5}}}).simulate
    assert mine.optics.haze == 0.5 != hard.optics.haze
    assert mine.optics.model_copy(update={"haze": hard.optics.haze}) == hard.optics
    assert (mine.motion, mine.anatomy, mine.camera) == (hard.motion, hard.anatomy, hard.camera)
    assert hard.motion != SimulateParams().motion


@pytest.mark.parametrize("preset", PRESETS)
def test_printed_settings_read_back_as_they_were(preset: str, tmp_path: Path) -> None:
    config = build_config({"simulate": {"preset": preset, "seed": 3}})
    (tmp_path / "settings.toml").write_text(format_config(config), encoding="utf-8")
    assert load_config(tmp_path / "settings.toml").simulate == config.simulate


MISTAKES = [
    ("simulate.optics.hase=1", "did you mean 'simulate.optics.haze'"),
    ("simulate.haze=1", "did you mean 'simulate.optics.haze'"),
    ("simulate.preset=harder", "simulate.preset"),
    ("simulate.volumes=0", "simulate.volumes"),
    ("simulate.optics.haze=-1", "simulate.optics.haze"),
]


@pytest.mark.parametrize(("word", "message"), MISTAKES)
def test_mistakes_are_refused(word: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")):
        load_config(None, [word])
