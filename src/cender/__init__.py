"""cender: from 3D recordings of a freely moving *C. elegans* to the activity of every neuron.

The public names are loaded when they are first used, so that ``import cender`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cender.config import Config as Config
    from cender.config import load_config as load_config
    from cender.errors import CenderError as CenderError
    from cender.evaluate import evaluate_recording as evaluate_recording
    from cender.io import load_run as load_run
    from cender.io import load_truth as load_truth
    from cender.io import open_recording as open
    from cender.io import save_recording as save_recording
    from cender.io import save_truth as save_truth
    from cender.io.results.advice import suggest_annotation as suggest
    from cender.io.results.annotations.human import save_human as save_annotation
    from cender.pipeline.learn.simulated import save_simulation as save_simulation
    from cender.pipeline.learn.teach import train_recognizer as train_recognizer
    from cender.pipeline.run import Run as Run
    from cender.pipeline.run import open_results as open_run
    from cender.pipeline.run import run_recording as run
    from cender.report import write_report as write_report
    from cender.simulate import SimulateParams as SimulateParams
    from cender.simulate import simulate_recording as simulate_recording
    from cender.types import Annotation as Annotation
    from cender.types import Annotations as Annotations
    from cender.types import Recording as Recording
    from cender.types import Volume as Volume

__version__ = "0.1.0"

_HOMES = {
    "Annotation": "cender.types",
    "CenderError": "cender.errors",
    "Config": "cender.config",
    "Recording": "cender.types",
    "Run": "cender.pipeline.run",
    "Annotations": "cender.types",
    "SimulateParams": "cender.simulate",
    "Volume": "cender.types",
    "evaluate_recording": "cender.evaluate",
    "load_config": "cender.config",
    "load_run": "cender.io",
    "load_truth": "cender.io",
    "open": "cender.io:open_recording",
    "open_run": "cender.pipeline.run:open_results",
    "run": "cender.pipeline.run:run_recording",
    "save_annotation": "cender.io.results.annotations.human:save_human",
    "save_recording": "cender.io",
    "save_simulation": "cender.pipeline.learn.simulated",
    "save_truth": "cender.io",
    "simulate_recording": "cender.simulate",
    "suggest": "cender.io.results.advice:suggest_annotation",
    "train_recognizer": "cender.pipeline.learn.teach",
    "write_report": "cender.report",
}
__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604  (the keys are strings)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cender' has no attribute {name!r}")
    module, _, original = _HOMES[name].partition(":")
    return getattr(import_module(module), original or name)


def __dir__() -> list[str]:
    return sorted(__all__)
