"""What people say of volumes, as annotations: loaded, laid down whole, and named by a hash."""

from pathlib import Path

import numpy as np

from cender.annotate.edits import SetVolume
from cender.annotate.marks import Box, Mark
from cender.annotate.state import VolumeState
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.fingerprints import hash_values
from cender.io.results.folder.run_folder import ROOT_NAME, RunFolder
from cender.io.results.folder.run_results import load_scale
from cender.types import Annotation, Regions, VoxelSize


def load_human(folder: str | Path) -> dict[int, Annotation]:
    """What people say of the volumes of a run folder, by volume; nothing where nothing has been said.

    Raises
    ------
    DataError
        The file is damaged or is something else.
    UnsupportedFormat
        A later version of cender wrote it.
    """
    root = Path(folder) / ROOT_NAME
    voxel_um = load_scale(RunFolder(root.parent))[0] if root.is_file() else None
    with EditLog(root.parent) as log:
        built = {volume: build_annotation(state, voxel_um) for volume, state in log.states().items()}
    return {volume: one for volume, one in built.items() if len(one) or one.complete}


def hash_human(folder: Path) -> str | None:
    """A name for what people say, None where nothing is said; how often they changed it does not matter."""
    with EditLog(folder) as log:
        volumes = [state.model_dump(mode="json", exclude={"note", "reviewed"}) for state in log.states().values()]
        names = [one.model_dump(mode="json", exclude={"reviewed"}) for one in log.identities().values()]
    said = [one for one in volumes if any(value for name, value in one.items() if name != "volume")]
    said += [one for one in names if one["name"] or one["note"]]
    return hash_values({"said": said}) if said else None


def save_human(folder: str | Path, annotation: Annotation, author: str = "") -> None:
    """Lay down what a person says of one volume, in place of what was said of it before; the log keeps both.

    The file is made where there is none; several programs may write it at the same time.

    Raises
    ------
    EditError
        An identity is there twice.
    """
    with EditLog(Path(folder)) as log:
        log.append(author, describe_volume(annotation))


def describe_volume(annotation: Annotation) -> SetVolume:
    """An annotation as the edit that lays it down; neurons are ``h0``, ``h1``, …"""
    regions = annotation.regions
    boxes: dict[int, list[Box]] = {}
    for row in np.lexsort((regions.z, regions.neuron)):
        x, y, w, h = regions.box_px[row].tolist()
        boxes.setdefault(int(regions.neuron[row]), []).append(Box(z=int(regions.z[row]), x=x, y=y, w=w, h=h))
    marks = []
    for row, (z, y, x) in enumerate(annotation.centre_um.tolist()):
        own = tuple(boxes[row]) if row in boxes else None
        given = int(annotation.identity[row])
        marks.append(Mark(key=f"h{row}", centre_um=(z, y, x), boxes=own, identity=None if given < 0 else given))
    return SetVolume(volume=annotation.volume, marks=tuple(marks), complete=annotation.complete)


def build_annotation(state: VolumeState, voxel_um: VoxelSize | None) -> Annotation:
    """What people say of a volume's neurons, without those that are none; boxes where they drew any."""
    marks = [mark for mark in state.marks.values() if not mark.removed]
    centre = np.array([mark.place_um for mark in marks], float).reshape(-1, 3)
    identity = np.array([-1 if mark.identity is None else mark.identity for mark in marks], int)
    owned = [(row, box) for row, mark in enumerate(marks) for box in mark.boxes or ()]
    boxes = Regions.from_boxes(
        np.array([box.z for _, box in owned], int),
        np.array([(box.x, box.y, box.w, box.h) for _, box in owned], float).reshape(-1, 4),
        neuron=np.array([row for row, _ in owned], int),
    )
    known = np.ones(len(marks))
    return Annotation(state.volume, centre, identity, known, boxes, complete=state.complete, voxel_um=voxel_um)
