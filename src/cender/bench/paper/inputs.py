"""What a row of the tables depends on beside its data and its weights: the settings of the stages behind it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cender.config import Config
from cender.io.results.folder.fingerprints import hash_file, hash_values, hash_weights

# Settings that change no figure (where and how fast something is computed, what only a run does), or that are hashed as
# weights.
_ELSEWHERE: dict[str, Any] = {
    "detect": {"weights": True, "device": True, "multi_field": {"batch"}},
    "recognize": {"weights", "paper", "fill_gaps"},
    "train_recognizer": {"threads"},
    "train_namer": {"threads"},
}


def hash_settings(config: Config, sections: Iterable[str]) -> dict[str, str]:
    """A name for the settings of each of these sections: another one, other figures."""
    return {
        name: hash_values(getattr(config, name).model_dump(mode="json", exclude=_ELSEWHERE.get(name)))
        for name in sections
    }


def hash_truth(folder: Path) -> dict[str, str]:
    """Names for the tables of a truth folder: other annotation, other figures."""
    tables = sorted(path for suffix in ("csv", "parquet") for path in folder.glob(f"*.{suffix}"))
    return {f"{folder.name}/{path.name}": hash_file(path) for path in tables}


def compare_inputs(inputs: Mapping[str, Any]) -> str:
    """Whether the shipped weights and the defaults that a row depends on are still those that it was measured with.

    The arithmetic of the detector's network, which depends on the CPU, is said where the row knows it.
    """
    models = {**inputs.get("models", {})}
    if "orientation" in inputs:
        models["orientation"] = inputs["orientation"]
    stages: Mapping[str, str] = inputs.get("stages", {})
    if not models and not stages:
        return "–"
    arithmetic = f", {inputs['arithmetic']}" if "arithmetic" in inputs else ""
    now = hash_settings(Config(), stages)
    older = [f"older {name}" for name, known in sorted(models.items()) if hash_weights(None, name) != known]
    other = [f"other {name} settings" for name, known in sorted(stages.items()) if now[name] != known]
    return (", ".join([*older, *other]) or "current") + arithmetic
