"""Short learning, and reports without figures, for tests that are about something else."""

from collections.abc import Sequence
from typing import Any

import pytest

from cender.config import Config
from cender.pipeline.learn import teach
from cender.pipeline.recording.recognizer import identify
from cender.report import write
from cender.types import Annotation, Weights

Volumes = Sequence[Annotation]
FEW_STEPS = {"steps": 8, "steps_each": 4, "self_steps": 4, "self_rounds": 1, "warped": 2, "alone_steps": 4}


def leave_out_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let reports of this process have no figures, which take seconds."""
    monkeypatch.setattr(write, "draw_all", lambda *_: ([], []))


def learn_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every recognizer of this process learn in a few steps; other settings stay what they are."""
    for module in (identify, teach):
        monkeypatch.setattr(module, "train_weights", _shorten(module.train_weights))


def _shorten(train: Any) -> Any:
    def train_briefly(
        annotated: Sequence[Annotation], rest: Sequence[Annotation], config: Config, *words: Any, **more: Any
    ) -> Weights:
        few = config.train_recognizer.model_copy(update=FEW_STEPS)
        return train(annotated, rest, config.model_copy(update={"train_recognizer": few}), *words, **more)

    return train_briefly
