"""The only code that opens recordings, results and weights; one format per file.

Names are loaded when first used: the libraries of the formats are slow to import and seldom all needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cender.io.params import RecordingParams as RecordingParams
    from cender.io.recordings.arrange.repeat import repeat_recording as repeat_recording
    from cender.io.recordings.inspect.look import inspect_recording as inspect_recording
    from cender.io.recordings.readers import FORMATS as FORMATS
    from cender.io.recordings.readers import open_recording as open_recording
    from cender.io.recordings.readers import save_recording as save_recording
    from cender.io.results.annotations.human import load_human as load_human
    from cender.io.results.annotations.human import save_human as save_human
    from cender.io.results.annotations.log import EditLog as EditLog
    from cender.io.results.folder.run_folder import RunFolder as RunFolder
    from cender.io.results.folder.run_folder import create_run as create_run
    from cender.io.results.folder.run_folder import migrate_run as migrate_run
    from cender.io.results.folder.run_folder import open_folder as open_folder
    from cender.io.results.folder.run_results import load_run as load_run
    from cender.io.results.parts.outcomes import save_outcomes as save_outcomes
    from cender.io.results.truth.folder import load_truth as load_truth
    from cender.io.results.truth.folder import save_truth as save_truth
    from cender.io.results.truth.writer import TruthWriter as TruthWriter
    from cender.io.weights import load_weights as load_weights
    from cender.io.weights import save_weights as save_weights
    from cender.io.weights import shipped_weights as shipped_weights

_HOMES = {
    "EditLog": "cender.io.results.annotations.log",
    "FORMATS": "cender.io.recordings.readers",
    "RecordingParams": "cender.io.params",
    "RunFolder": "cender.io.results.folder.run_folder",
    "TruthWriter": "cender.io.results.truth.writer",
    "create_run": "cender.io.results.folder.run_folder",
    "inspect_recording": "cender.io.recordings.inspect.look",
    "load_human": "cender.io.results.annotations.human",
    "load_run": "cender.io.results.folder.run_results",
    "load_truth": "cender.io.results.truth.folder",
    "load_weights": "cender.io.weights",
    "migrate_run": "cender.io.results.folder.run_folder",
    "open_recording": "cender.io.recordings.readers",
    "open_folder": "cender.io.results.folder.run_folder",
    "repeat_recording": "cender.io.recordings.arrange.repeat",
    "save_human": "cender.io.results.annotations.human",
    "save_outcomes": "cender.io.results.parts.outcomes",
    "save_recording": "cender.io.recordings.readers",
    "save_truth": "cender.io.results.truth.folder",
    "save_weights": "cender.io.weights",
    "shipped_weights": "cender.io.weights",
}
__all__ = [*_HOMES]  # noqa: PLE0604  (the keys are strings)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cender.io' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
