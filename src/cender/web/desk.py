"""One run folder, opened for annotation: what the machine found, what people say, and both brought together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Float

from cender.annotate.advice import Advice, give_advice
from cender.annotate.candidates import SeenNeurons, SeenVolumes, lay_marks
from cender.annotate.join import JoinedNeuron, join_volume
from cender.annotate.marks import NO_IDENTITY
from cender.annotate.postures import describe_known_postures
from cender.annotate.state import VolumeState
from cender.errors import DataError
from cender.io import RunFolder, open_folder
from cender.io.recordings.reach import reach_recording
from cender.io.results.advice import arrange_neurons, arrange_volumes
from cender.io.results.annotations.log import EditLog
from cender.io.results.crops import open_crops
from cender.io.results.tables.heads import parse_outline
from cender.types import VoxelSize
from cender.types.doubt import UNSURE_BELOW
from cender.web.alike import rank_alike
from cender.web.events import Hub
from cender.web.frames import Frames
from cender.web.questions import Questions
from cender.web.tables import FoundRows, RunTables
from cender.web.traces import TraceBook

Proposals = Mapping[str, tuple[int, float]]
"""Identity and probability by the key of a neuron."""
MOST_SURE = UNSURE_BELOW - 0.01
"""A proposal stays in doubt, however sure the machine is, until a person accepts it or the machine has learnt."""
_HEAD = ("origin_y", "origin_x", "anterior_y", "anterior_x", "ventral_y", "ventral_x")


@dataclass(slots=True)
class Desk:
    """Everything that the server knows; its methods may be called from any thread."""

    run: RunFolder
    tables: RunTables
    frames: Frames
    log: EditLog
    voxel_um: VoxelSize
    shape: tuple[int, ...]
    traces: TraceBook
    author: str = "me"
    recording: str = ""
    hub: Hub = field(default_factory=Hub)
    generation: int = 0
    opened: str = field(default_factory=lambda: token_hex(6))
    questions: Questions = field(init=False)
    _lock: Lock = field(default_factory=Lock)
    _proposals: dict[int, dict[int, Proposals]] = field(default_factory=dict)
    _seen: tuple[int, SeenVolumes, SeenNeurons] | None = None
    _measuring: Lock = field(default_factory=Lock)
    _postures: tuple[int, Float[np.ndarray, "n p"]] | None = None
    _counted: tuple[int, dict[int, int], dict[int, str]] | None = None

    def __post_init__(self) -> None:
        """Doubt nothing yet."""
        self.questions = Questions(self.log)

    @classmethod
    def open(cls, path: Path, author: str = "me") -> "Desk":
        """Open a run folder; the recording may be away."""
        run = open_folder(path)
        tables = RunTables.read(run)
        everything = run.load_settings()
        settings = everything.get("recording", {})
        recording, why = reach_recording(everything, run.path)
        if "voxel_um" not in settings:
            raise DataError(f"{path}: run.toml does not say recording.voxel_um, which every run writes; run it again")
        voxel = VoxelSize(*settings["voxel_um"])
        frames = Frames(tables.crops(), recording, why, open_crops(path), everything.get("channel_map"))
        shape, mark = tuple(settings.get("shape", ())), str(settings.get("probe", ""))
        return cls(run, tables, frames, EditLog(path), voxel, shape, TraceBook(run), author, mark)

    def reload(self) -> None:
        """Read the tables again, after a run has made them anew."""
        tables = RunTables.read(self.run)
        with self._lock:
            self.tables = tables
            self.traces = TraceBook(self.run)
            self.frames.boxes = tables.crops()
            self._proposals = {}
            self.generation += 1
        self.questions.forget()

    def has_volume(self, volume: int) -> bool:
        """Whether the run covers a volume."""
        known = self.tables.volumes["volume"].to_numpy()
        row = int(np.searchsorted(known, volume))
        return row < len(known) and int(known[row]) == volume

    def describe_run(self) -> dict[str, Any]:
        """All that the page needs before it shows the first volume."""
        said = self.log.digests()
        return {
            "name": self.run.path.name,
            "recording": self.recording,
            "author": self.author,
            "revision": self.log.revision,
            "generation": self.generation,
            # Part of the address of pictures: browsers keep them, and another folder is served at the same address.
            "pictures": f"{self.opened}-{self.generation}",
            "voxel_um": list(self.voxel_um),
            "unsure_below": UNSURE_BELOW,
            "frames": self.shape[2] if len(self.shape) == 5 else 0,
            "channels": list(self.frames.roles),
            "volumes": self.tables.summarize(),
            "reviewed": [volume for volume, one in said.items() if one.reviewed],
            "annotated": [volume for volume, one in said.items() if one.marked],
            "unusable": [volume for volume, one in said.items() if one.unusable],
            "identities": self.list_identities(),
        }

    def list_identities(self) -> list[dict[str, Any]]:
        """Every identity: its name, in how many volumes it is, whether a person reviewed it."""
        people, (seen, presence) = self.log.identities(), self._count_identities()
        names = dict(self.run.read_names()) | {key: one.name for key, one in people.items() if one.name}
        given = frozenset().union(*(one.identities for one in self.log.digests().values()))
        everybody = sorted((given | set(seen) | set(names)) - {NO_IDENTITY})
        return [
            {
                "identity": one,
                "name": names.get(one, ""),
                "seen": seen.get(one, 0),
                "presence": presence.get(one, "0" * len(next(iter(presence.values()), ""))),
                "reviewed": one in people and people[one].reviewed,
            }
            for one in everybody
        ]

    def _count_identities(self) -> tuple[dict[int, int], dict[int, str]]:
        """In how many volumes each identity of the last run is, and in which parts of the recording."""
        with self._lock:
            if self._counted is None or self._counted[0] != self.generation:
                number = self.tables.neurons.columns["identity"]
                count = np.bincount(number[number >= 0])
                seen = {one: int(count[one]) for one in np.flatnonzero(count).tolist()}
                self._counted = (self.generation, seen, self.tables.summarize_presence())
            return self._counted[1:]

    def describe_volume(self, volume: int, with_proposals: bool = True) -> dict[str, Any]:
        """One volume with its neurons under keys that stay; proposals are names found after a correction."""
        found, state = self.tables.found(volume), self.log.state(volume)
        place = int(np.searchsorted(self.tables.volumes["volume"].to_numpy(), volume))
        row, shown = self.tables.volumes.row(place, named=True), found.rows()
        neurons = [
            _describe_neuron(one, shown)
            for one in join_volume(found.centre_um, list(state.marks.values()))
            if one.mark is None or not one.mark.removed
        ]
        settle_names(neurons)
        if with_proposals:
            place_proposals(neurons, self._join_proposals(volume))
        return {
            "volume": volume,
            "revision": self.log.revision,
            "generation": self.generation,
            "time_s": _round(row["time_s"]),
            "status": row["status"],
            "reason": row["reason"] or "",
            "reviewed": state.reviewed or state.complete,
            "unusable": state.unusable,
            "note": state.note,
            "head": describe_head(row, state),
            "neurons": neurons,
        }

    def describe_trace(self, identity: int) -> dict[str, Any]:
        """The trace of an identity over all volumes; None where it has no value."""
        return self.traces.describe(identity)

    def propose(self, volume: int, source: int, proposals: Proposals) -> bool:
        """Keep names found for neurons of a volume after a correction in ``source``; whether that changes anything."""
        with self._lock:
            kept = self._proposals.setdefault(volume, {})
            before = kept.get(source, {})
            kept[source] = proposals
        return before != proposals

    def _join_proposals(self, volume: int) -> Proposals:
        """What corrections elsewhere say, and above them those in the volume itself."""
        with self._lock:
            kept = dict(self._proposals.get(volume, {}))
        own = kept.pop(volume, {})
        return {key: name for found in (*kept.values(), own) for key, name in found.items()}

    def find_reference(self, volume: int) -> int | None:
        """The volume to compare with: the one whose head lies most alike, reviewed ones before others."""
        return next(iter(self.find_alike(volume, 1)), None)

    def find_alike(self, volume: int, count: int) -> list[int]:
        """Volumes whose head lies most alike, reviewed ones first, then by posture and nearness in time."""
        rows = self.tables.volumes
        number = rows["volume"].to_numpy()
        axes = rows.select(pl.col("anterior_y", "anterior_x").fill_null(0.0)).to_numpy()
        reviewed = [one for one, said in self.log.digests().items() if said.reviewed]
        usable = (rows["status"] != "failed").to_numpy()
        here = int(np.searchsorted(number, volume))
        found = rank_alike(self._describe_postures(), axes, usable, np.isin(number, reviewed), here)
        return [int(one) for one in number[found[:count]]]

    def _describe_postures(self) -> Float[np.ndarray, "n p"]:
        """Postures of all volumes as the machine named their neurons, once after every run; NaN where unknown."""
        with self._measuring:
            if self._postures is None or self._postures[0] != self.generation:
                _, volumes, neurons = self._arrange()
                self._postures = (self.generation, describe_known_postures(neurons, volumes.volume))
            return self._postures[1]

    def list_spots(self, identity: int, first: int, stop: int) -> list[dict[str, Any]]:
        """Where an identity is in the volumes of a range, as edits name neurons."""
        touched = {volume for volume in self.log.digests() if first <= volume < stop}
        rows, column = self.tables.neurons, self.tables.neurons.columns
        hits = np.flatnonzero((column["identity"] == identity) & (rows.volume >= first) & (rows.volume < stop))
        spots = [
            {
                "volume": int(rows.volume[hit]),
                "key": f"m{hit - rows.slice(int(rows.volume[hit])).start}",
                "place_um": [round(float(column[f"{axis}_um"][hit]), 4) for axis in "zyx"],
            }
            for hit in hits
            if int(rows.volume[hit]) not in touched
        ]
        for volume in touched:
            neurons = self.describe_volume(volume)["neurons"] if self.has_volume(volume) else []
            mine = [one for one in neurons if one["identity"] == identity]
            spots += [{"volume": volume, "key": one["key"], "place_um": one["anchor_um"]} for one in mine[:1]]
        return sorted(spots, key=lambda spot: int(spot["volume"]))

    def give_advice(self, count: int) -> Advice:
        """What is worth a person's next minute, by the rule of ``cender suggest``."""
        _, volumes, neurons = self._arrange()
        states = self.log.states()
        reviewed = [volume for volume, one in states.items() if one.reviewed or one.complete]
        return give_advice(volumes, lay_marks(neurons, states), reviewed, count)

    def _arrange(self) -> tuple[int, SeenVolumes, SeenNeurons]:
        """What the last run says, as advice is given on, and the generation that it is of."""
        with self._lock:
            if self._seen is None or self._seen[0] != self.generation:
                volumes = arrange_volumes(self.tables.volumes)
                self._seen = (self.generation, volumes, arrange_neurons(self.tables.table))
            return self._seen


def _describe_neuron(one: JoinedNeuron, found: FoundRows) -> dict[str, Any]:
    mark, row = one.mark, one.row
    anchor = None if row is None else found.place_um[row]
    own = mark is not None and (mark.centre_um is not None or anchor is None)
    boxes = [] if row is None else found.boxes[row]
    if mark is not None and mark.boxes is not None:
        boxes = [[box.z, box.x, box.y, box.w, box.h] for box in mark.boxes]
    said = mark is not None and mark.identity is not None
    machine = -1 if row is None else found.identity[row]
    return {
        "key": one.key,
        "identity": mark.identity if mark is not None and said else machine,
        "probability": 1.0 if said else 0.0 if row is None else found.probability[row],
        "human": said,
        "edited": mark is not None and (mark.centre_um is not None or mark.boxes is not None),
        "machine": machine,
        "anchor_um": anchor,
        "centre_um": [round(float(v), 4) for v in mark.place_um] if mark is not None and own else anchor,
        "boxes": boxes,
    }


def settle_names(neurons: list[dict[str, Any]]) -> None:
    """Take a machine's identity away where a person gave it to another neuron of the volume."""
    given = {one["identity"] for one in neurons if one["human"] and one["identity"] >= 0}
    for one in neurons:
        if not one["human"] and one["identity"] in given:
            one["identity"], one["probability"] = -1, 0.0


def place_proposals(neurons: list[dict[str, Any]], proposals: Proposals) -> None:
    """Give neurons that no person named the identity that was found for them, unless another neuron has it."""
    asked = [one for one in neurons if one["key"] in proposals and not one["human"]]
    taken = {one["identity"] for one in neurons if one["key"] not in proposals or one["human"]}
    for one in asked:
        identity, probability = proposals[one["key"]]
        if identity not in taken:
            one["identity"], one["probability"] = identity, probability
            taken.add(identity)
    # A neuron whose name went to another one and that got none itself has none.
    given = {one["identity"] for one in asked if one["identity"] == proposals[one["key"]][0]}
    for one in asked:
        if one["identity"] in given and one["identity"] != proposals[one["key"]][0]:
            one["identity"], one["probability"] = -1, 0.0


def describe_head(row: Mapping[str, Any], state: VolumeState) -> dict[str, Any] | None:
    """The worm's axes in pixels, a person's where there are such; None where they are not known."""
    if state.head is not None:
        return {**state.head.model_dump(mode="json"), "human": True}
    if any(row[name] is None for name in _HEAD):
        return None
    pairs = [[row[f"{name}_y"], row[f"{name}_x"]] for name in ("origin", "anterior", "ventral")]
    outline = parse_outline(row.get("outline"), f"volume {row['volume']}").tolist()
    return dict(zip(("origin_yx", "anterior_yx", "ventral_yx"), pairs, strict=True)) | {
        "outline_yx": outline,
        "human": False,
    }


def _round(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else round(float(value), 5)
