"""Annotations into the edit log of a run folder, and out of a run folder, by way of files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cender.annotate.edits import AnyEdit, Batch, NameIdentity, SetHead
from cender.annotate.marks import HeadMark
from cender.annotate.overlay import lay_over
from cender.errors import DataError, UnsupportedFormat
from cender.io.exchange.bounds import check_inside
from cender.io.exchange.conflicts import Policy, settle_conflicts
from cender.io.exchange.format import ExchangeFormat, Outgoing, Surroundings, find_losses, mark_partial
from cender.io.exchange.formats import EXCHANGE_FORMATS, choose_format
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.joined import join_recordings
from cender.io.recordings.fence import fence
from cender.io.recordings.readers import open_recording
from cender.io.results.annotations.human import build_annotation, describe_volume
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.run_folder import open_folder
from cender.io.results.folder.run_results import load_run, load_scale
from cender.types import Annotation, Annotations, Crop, Head, Recording, VoxelSize


@dataclass(frozen=True, slots=True)
class Moved:
    """What went through a door: the format, how many volumes, neurons and identities, and what stayed behind.

    ``doubts`` are warnings; ``changed`` is False where all of it was there before.
    """

    format: str
    volumes: int
    neurons: int
    identities: int
    lost: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    changed: bool = True


def import_file(
    folder: Path,
    path: Path,
    author: str,
    format: str | None = None,
    conflict: Policy = "refuse",
    places: str | None = None,
) -> Moved:
    """Lay what a file says over a run folder's annotations, as one edit: all of it or nothing.

    Volumes that the file mentions are laid down anew; what was said of others stays. One undo takes it back.
    ``conflict`` says what is done where people have said something else before, ``places`` in which order and unit
    the numbers of a file are that does not say it (``xyz,px``).

    Raises
    ------
    DataError
        The file cannot be read, speaks of volumes that the recording does not have, or contradicts itself.
    EditError
        People have said something else before, and ``conflict`` is ``refuse``.
    """
    run = open_folder(folder)
    chosen = choose_format(path, format)
    if chosen.load is None:
        raise UnsupportedFormat(f"{chosen.name} can be written but not read: {chosen.title}")
    if not path.exists():
        raise DataError(f"{path} is not there; expected {chosen.title}")
    if places is not None and not chosen.asks_places:
        able = ", ".join(one.name for one in EXCHANGE_FORMATS if one.asks_places)
        raise UnsupportedFormat(f"--places is for {able}; {chosen.name} says itself what its numbers are")
    around = replace(look_around(run.load_settings()), places=places)
    with fence(str(path), f"cannot be read as {chosen.name}", DataError):
        incoming = chosen.load(path, around)
        edits = describe_annotations(incoming.known, around, str(path))
    with EditLog(run.path) as log:
        fresh, said = settle_conflicts(edits, log.states(), log.identities(), conflict, str(path))
        if fresh:
            log.append(author, Batch(words=f"import of {path.name} ({chosen.name})", edits=tuple(fresh)))
    moved = _count(incoming.known, chosen, incoming.left)
    return replace(moved, doubts=(*incoming.doubts, *said), changed=bool(fresh))


def export_file(
    folder: Path,
    path: Path,
    format: str | None = None,
    human_only: bool = False,
    images: bool = False,
    overwrite: bool = False,
) -> Moved:
    """Write what is known of a run's recording into a file: the machine's results with people's over them.

    ``human_only`` writes what people said and nothing else; ``images`` the recording itself too. A file that is there
    already is refused unless ``overwrite`` is given; folders that are not empty always are.
    """
    chosen = choose_format(path, format, writing=True)
    if chosen.save is None:
        raise UnsupportedFormat(f"{chosen.name} can be read but not written: {chosen.title}")
    if chosen.written_as and path.suffix.lower() not in chosen.written_as:
        ending = " or ".join(one or "a folder" for one in chosen.written_as)
        raise UnsupportedFormat(f"{chosen.name} is written as {ending}; found {path}")
    if images and not chosen.images:
        able = ", ".join(one.name for one in EXCHANGE_FORMATS if one.images)
        raise UnsupportedFormat(f"{chosen.name} does not hold images; formats that do: {able}")
    out = gather_outgoing(folder, human_only, images)
    if not any(len(one) for one in out.known.annotations.values()):
        said = "people have said nothing of" if human_only else "there are no neurons in"
        raise DataError(f"nothing to export: {said} {folder}")
    if not any(chosen.holds(one).any() for one in out.known.annotations.values()):
        raise DataError(
            f"nothing to export: all neurons in {folder} are {chosen.lacking}, and {chosen.name} holds others"
        )
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path} cannot be written: there is no folder {path.absolute().parent}")
    there = [target for target in chosen.targets(path) if target.is_file()]
    if there and not overwrite:
        raise DataError(f"{there[0]} exists already; give another name, or --overwrite to replace it")
    chosen.save(out, path)
    return _count(out.known, chosen, find_losses(chosen, out))


def gather_outgoing(folder: Path, human_only: bool = False, images: bool = False) -> Outgoing:
    """All that can be written of a run."""
    run = open_folder(folder)
    settings = run.load_settings()
    traces = run.load_table("traces") if run.has_table("traces") and not human_only else None
    subject = settings.get("subject", {})
    return Outgoing(
        gather_annotations(folder, human_only),
        look_around(settings),
        traces,
        subject if isinstance(subject, dict) else {},
        (lambda: open_images(run.path, settings)) if images else None,
        run.path,
    )


def gather_annotations(folder: Path, human_only: bool = False) -> Annotations:
    """What is known of a run's recording now, people's work over the machine's, without running again.

    Only people can say that every neuron of a volume is marked, so a volume that they said nothing of is not complete.
    Of a volume that was not run, and of a folder in which nothing was run yet, people's work is all there is.
    """
    run = open_folder(folder)
    known = load_run(folder) if run.has_table("volumes") else Annotations(str(run.path), *load_scale(run), {})
    with EditLog(run.path) as log:
        said, named = log.states(), log.identities()
    names = {**known.names, **{number: one.name for number, one in named.items() if one.name}}
    volumes = {} if human_only else dict(mark_partial(known).annotations)
    for volume, state in said.items():
        if volume in volumes:
            volumes[volume] = lay_over(volumes[volume], state).settled
            continue
        one = replace(build_annotation(state, known.voxel_um), head=_build_head(state.head))
        if len(one) or one.head is not None or one.complete:
            volumes[volume] = one
    return replace(known, annotations=volumes, names=names, ratio={} if human_only else known.ratio)


def describe_annotations(known: Annotations, around: Surroundings, where: str) -> Sequence[AnyEdit]:
    """The edits that lay annotations down."""
    if around.volumes is not None and (beyond := [v for v in known.annotations if v >= around.volumes]):
        raise DataError(f"{where} speaks of volume {beyond[0]}, but the recording has {around.volumes} (0-based)")
    edits: list[AnyEdit] = []
    for volume, one in sorted(known.annotations.items()):
        if not np.isfinite(one.centre_um).all():
            raise DataError(f"{where}, volume {volume}: places in µm are needed, and no voxel size is known for them")
        check_inside(one.centre_um, around, f"{where}, volume {volume}")
        # A file of heads alone says nothing about neurons.
        if len(one) or one.head is None:
            edits.append(describe_volume(one))
        if one.head is not None:
            edits.append(SetHead(volume=volume, head=_describe_head(one)))
    edits += [NameIdentity(identity=number, name=name) for number, name in sorted(known.names.items())]
    if not edits:
        raise DataError(f"{where} says nothing: there is no volume in it")
    return edits


def _describe_head(one: Annotation) -> HeadMark | None:
    head = one.head
    if head is None:
        return None
    pairs = {name: tuple(getattr(head, name).tolist()) for name in ("origin_yx", "anterior_yx", "ventral_yx")}
    return HeadMark.model_validate({**pairs, "outline_yx": tuple(map(tuple, head.outline_yx.tolist()))})


def _build_head(mark: HeadMark | None) -> Head | None:
    """A head that a person drew; None without an outline, which says where it is."""
    if mark is None or not mark.outline_yx:
        return None
    outline = np.array(mark.outline_yx, float)
    low, high = np.floor(outline.min(axis=0)).astype(int), np.ceil(outline.max(axis=0)).astype(int)
    crop = Crop(int(low[1]), int(low[0]), int(high[1] - low[1] + 1), int(high[0] - low[0] + 1))
    axes = [np.array(axis, float) for axis in (mark.anterior_yx, mark.ventral_yx)]
    anterior, ventral = (axis / np.linalg.norm(axis) for axis in axes)
    return Head(crop, outline, np.array(mark.origin_yx, float), anterior, ventral)


def look_around(settings: Mapping[str, Any]) -> Surroundings:
    """Voxel size, rate and shape that ``run.toml`` gives."""
    recording = settings.get("recording", {})
    facts = dict(recording) if isinstance(recording, dict) else {}
    voxel, shape, rate = facts.get("voxel_um"), facts.get("shape"), facts.get("rate_hz")
    t, c, z, y, x = map(int, shape) if shape else (0, 0, 0, 0, 0)
    return Surroundings(VoxelSize(*map(float, voxel)) if voxel else None, rate, (t, c, z, y, x) if shape else None)


def open_images(folder: Path, settings: Mapping[str, Any]) -> Recording:
    """The recording that a run was made from; a relative name is looked for from here and from around the folder."""
    section = settings.get("recording", {})
    sources = section.get("sources") or ([section["source"]] if "source" in section else [])
    if not sources:
        raise DataError(f"{folder / 'run.toml'} does not name the recording, so its images are not at hand")
    params = RecordingParams.model_validate({k: v for k, v in section.items() if k in RecordingParams.model_fields})
    places = {
        str(one): [Path(one), folder / one, folder.parent / one, folder.parent / Path(one).name] for one in sources
    }
    found = {one: next((place for place in tried if place.exists()), None) for one, tried in places.items()}
    gone = [one for one, place in found.items() if place is None]
    if gone:
        raise DataError(
            f"{folder}: its recording {gone[0]} is not there any more; put it back or beside the folder, or tell where "
            f"it is now with `cender run NEW_PLACE --out {folder}`"
        )
    return join_recordings([open_recording(place, params) for place in found.values() if place is not None])


def _count(known: Annotations, format: ExchangeFormat, lost: tuple[str, ...]) -> Moved:
    """What a file of this format holds of annotations; a volume without neurons counts where it says something else."""
    held = {volume: one.identity[format.holds(one)] for volume, one in known.annotations.items()}
    volumes = sum(len(held[volume]) > 0 or not len(one) for volume, one in known.annotations.items())
    identities = {int(number) for numbers in held.values() for number in numbers if number >= 0}
    return Moved(format.name, volumes, sum(map(len, held.values())), len(identities), lost)
