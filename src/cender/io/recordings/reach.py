"""The recording of a run folder, found again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cender.errors import CenderError
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.joined import join_recordings
from cender.io.recordings.readers import open_recording
from cender.types import Recording


def reach_recording(settings: Mapping[str, Any], folder: Path) -> tuple[Recording | None, str]:
    """The recording (or several, joined) that ``run.toml`` names, or None and why it cannot be read any more.

    A relative name is looked for from here, then from the run folder and the folder around it.
    """
    section = settings.get("recording", {})
    sources = section.get("sources") or [section.get("source")]
    if not all(isinstance(source, str) for source in sources):
        return None, "run.toml does not name the recording"
    known = {key: value for key, value in section.items() if key in RecordingParams.model_fields}
    try:
        params = RecordingParams.model_validate(known)
        recording = join_recordings([open_recording(_find(source, folder), params) for source in sources])
        recording.require("channel roles")
    except (CenderError, OSError, ValueError) as error:
        return None, str(error)
    return recording, ""


def _find(source: str, folder: Path) -> Path:
    path = Path(source)
    places = [path, folder / path, folder.parent / path]
    return next((place for place in places if place.exists()), path)
