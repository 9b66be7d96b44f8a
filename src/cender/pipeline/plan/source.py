"""Where volumes come from: files that can be opened again, here or in another process."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cender.io import open_recording
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.joined import join_recordings
from cender.types import Recording


@dataclass(frozen=True, slots=True)
class Source:
    """One recording, or several of one animal; ``held`` is one that is open already and may have no file at all."""

    paths: tuple[str, ...] = ()
    params: RecordingParams = field(default_factory=RecordingParams)
    held: Recording | None = None

    @classmethod
    def from_paths(cls, paths: Sequence[str | Path], params: RecordingParams) -> "Source":
        """Files by their full paths, so that a run folder finds them from anywhere."""
        green = None if params.green is None else str(Path(params.green).absolute())
        return cls(tuple(str(Path(path).absolute()) for path in paths), params.model_copy(update={"green": green}))

    def open(self) -> Recording:
        """The recording, with all that a run must know of it."""
        recording = self.held or join_recordings([open_recording(path, self.params) for path in self.paths])
        return recording.require("axes", "voxel size", "channel roles")

    def is_reachable(self) -> bool:
        """Whether the files are there at all; a network drive that is gone takes them along."""
        return all(Path(path).exists() for path in self._files())

    def stamp(self) -> str:
        """Changes when a file does: lengths and times of change, not content."""
        marks = []
        for path in map(Path, self._files()):
            if path.exists():
                stat = path.stat()
                marks.append(f"{stat.st_size}-{stat.st_mtime_ns}")
        return ",".join(marks)

    def _files(self) -> tuple[str, ...]:
        return self.paths if self.params.green is None else (*self.paths, self.params.green)
