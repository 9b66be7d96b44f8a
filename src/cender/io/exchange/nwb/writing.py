"""NWB files as the WormID labs write them: the only file that knows pynwb."""

import uuid
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Float

import cender
from cender.errors import DataError
from cender.io.atomic import write_atomically
from cender.io.exchange.format import Outgoing
from cender.io.exchange.nwb.subject import Optics, Subject, read_subject
from cender.io.results.tables.heads import HEAD_COLUMNS, head_to_cells
from cender.types import Annotation, Recording, VoxelSize

_SERIES = {
    "SignalRawFluor": ("SignalCalciumImResponseSeries", "green", "background-subtracted mean of the activity channel"),
    "ReferenceRawFluor": (
        "ReferenceCalciumImResponseSeries",
        "red",
        "background-subtracted mean of the reference channel",
    ),
    "ProcessedRatio": ("RatioCalciumImResponseSeries", "ratio", "bleach-corrected green / red; NaN where not valid"),
    "ProcessedDFoF": ("ProcessedCalciumImResponseSeries", "dr_r0", "change of the ratio relative to its baseline R0"),
}


def save_nwb(out: Outgoing, path: Path) -> None:
    """Write one NWB file: animal, optics, segmentation per time point, identities, traces and, if asked for, images."""
    pynwb, worm = _find_libraries(path)
    voxel, times = out.around.voxel_um, _find_times(out)
    if voxel is None:
        raise DataError(f"{path}: NWB needs the voxel size; run again with --set recording.voxel_um=Z,Y,X")
    recording = None if out.recording is None else out.recording()
    channels = _find_channels(out, recording)
    subject = read_subject(out.subject, channels, out.folder)
    file = _describe_session(pynwb, worm, out, subject)
    device = file.create_device(name="Microscope", description=subject.microscope)
    volume = _describe_optics(pynwb, worm, subject, channels, voxel, device)
    file.add_imaging_plane(volume)
    if recording is not None:
        file.add_acquisition(_describe_images(pynwb, worm, recording, volume, device, times))
    module = file.create_processing_module(
        name="CalciumActivity", description="neurons, their identities and their activity, found by cender"
    )
    _add_segmentation(pynwb, worm, module, out, volume, voxel)
    _add_traces(pynwb, module, out, volume, voxel)
    module.add(_tabulate_volumes(pynwb, out, times))
    with write_atomically(path) as part, warnings.catch_warnings():
        # The part is renamed when it is whole; until then its name ends otherwise.
        warnings.filterwarnings("ignore", message=".*does not end in")
        # The extension has channels of its own kind, which the validator takes for those that are asked for here.
        warnings.filterwarnings("ignore", message=".*missing required value for attribute 'optical_channel'")
        with pynwb.NWBHDF5IO(str(part), "w") as target:
            target.write(file)


def _find_libraries(path: Path) -> tuple[Any, Any]:
    try:
        return import_module("pynwb"), import_module("ndx_multichannel_volume")
    except ImportError as error:
        raise DataError(f"to write {path}, install the extra: pip install 'cender[nwb]' ({error})") from error


def _find_times(out: Outgoing) -> dict[int, float]:
    """The middle of each volume that is written."""
    known, rate = out.known, out.around.rate_hz
    if rate:
        return {volume: known.time_s.get(volume, (volume + 0.5) / rate) for volume in known.annotations}
    if all(volume in known.time_s for volume in known.annotations):
        return dict(known.time_s)
    raise DataError(f"NWB needs times and {out.folder} has none; run again with --set recording.rate_hz=…")


def _find_channels(out: Outgoing, recording: Recording | None) -> tuple[str, ...]:
    """Roles of the channels in the order of the file; a channel of neither role is described by nothing we know."""
    if recording is not None and recording.roles is not None:
        if "other" in recording.roles:
            raise DataError(f"{recording.source} has a channel that is neither red nor green; export without --images")
        return tuple(recording.roles)
    one = out.around.shape is not None and out.around.shape[1] == 1
    return ("red",) if one else ("red", "green")


def _describe_session(pynwb: Any, worm: Any, out: Outgoing, subject: Subject) -> Any:
    given = out.known.provenance.get("source") or str(out.folder)
    file = pynwb.NWBFile(
        session_description=subject.session_description or "whole-head calcium imaging of one animal",
        identifier=str(uuid.uuid4()),
        session_start_time=subject.session_start,
        experimenter=list(subject.experimenter),
        institution=subject.institution,
        lab=subject.lab,
        keywords=list(subject.keywords) or ["calcium imaging", "whole-brain", "C. elegans"],
        notes=subject.notes or None,
        source_script=f"cender {cender.__version__}",
        source_script_file_name="cender export",
        experiment_description=f"analysed by cender {cender.__version__} from {Path(given).name}",
    )
    said = {
        "strain": subject.strain,
        "genotype": subject.genotype,
        "age": subject.age,
        "date_of_birth": subject.date_of_birth,
        "cultivation_temp": subject.cultivation_temp_c,
    }
    file.subject = worm.CElegansSubject(
        subject_id=subject.subject_id,
        sex=subject.sex,
        species=subject.species,
        growth_stage=subject.growth_stage,
        description=subject.description or "one animal",
        **{name: value for name, value in said.items() if value is not None},
    )
    return file


def _describe_optics(
    pynwb: Any, worm: Any, subject: Subject, channels: Sequence[str], voxel: VoxelSize, device: Any
) -> Any:
    described = [_describe_channel(worm, role, getattr(subject, role)) for role in channels]
    order = worm.OpticalChannelReferences(name="order_optical_channels", channels=[one.name for one in described])
    volume = worm.ImagingVolume(
        name="CalciumImVol",
        optical_channel_plus=described,
        order_optical_channels=order,
        description="the head of the animal; channels are in the order of order_optical_channels",
        device=device,
        location="head",
        reference_frame="the camera's: x along rows of pixels, y down, z through the frames of a volume",
        grid_spacing=[voxel.x_um, voxel.y_um, voxel.z_um],
        grid_spacing_unit="micrometers",
        origin_coords=[0.0, 0.0, 0.0],
        origin_coords_unit="micrometers",
    )
    # The extension puts 0 nm and no indicator here and takes no others; what is known is better.
    volume.fields["excitation_lambda"] = described[0].excitation_lambda
    volume.fields["indicator"] = ", ".join(getattr(subject, role).indicator for role in channels)
    return volume


def _describe_channel(worm: Any, role: str, optics: Optics | None) -> Any:
    if optics is None:
        raise DataError(f"[subject.{role}] is missing")
    # The role is part of the name: readers, ours too, find the channels by it.
    return worm.OpticalChannelPlus(
        name=f"{role} {optics.indicator}",
        description=f"{role} channel: {optics.indicator}",
        emission_lambda=float(np.mean(optics.emission_nm)),
        emission_range=list(optics.emission_nm),
        excitation_lambda=optics.excitation_nm,
        excitation_range=list(optics.excitation_range_nm or (optics.excitation_nm, optics.excitation_nm)),
    )


def _describe_images(
    pynwb: Any, worm: Any, recording: Recording, volume: Any, device: Any, times: dict[int, float]
) -> Any:
    if recording.dtype.kind not in "iu" or recording.dtype.itemsize > 2:
        raise DataError(f"NWB's extension holds images of 16 bits, {recording.source} has {recording.dtype}")
    _, _, z, y, x = recording.shape
    data = import_module("hdmf.data_utils").DataChunkIterator(
        data=_turn_volumes(recording),
        maxshape=(None, x, y, z, recording.shape[1]),
        dtype=np.dtype(np.uint16),
    )
    packed = import_module("hdmf.backends.hdf5.h5_utils").H5DataIO(
        data, compression="gzip", compression_opts=1, chunks=(1, x, y, z, 1)
    )
    every = dict.fromkeys(range(len(recording)), 0.0) | times
    spaced = {index: recording.time_s(index) for index in every}
    return worm.MultiChannelVolumeSeries(
        name="CalciumImageSeries",
        description="the recording: frame, x, y, z, channel",
        data=packed,
        device=device,
        unit="camera counts",
        dimension=[x, y, z],
        imaging_volume=volume,
        **_space(spaced),
    )


def _turn_volumes(recording: Recording) -> Iterator[Any]:
    """Volumes as ``x y z c``, one in memory at a time."""
    for volume in recording:
        yield np.ascontiguousarray(volume.data.transpose(3, 2, 1, 0).astype(np.uint16, copy=False))


def _space(times: dict[int, float]) -> dict[str, Any]:
    """Regular times as a start and a rate, others one by one."""
    ordered = np.array([times[volume] for volume in sorted(times)])
    steps = np.diff(ordered)
    if len(steps) and (steps > 0).all() and np.allclose(steps, steps[0], rtol=1e-6, atol=1e-6):
        return {"starting_time": float(ordered[0]), "rate": float(1 / steps.mean())}
    return {"timestamps": ordered}


def _add_segmentation(pynwb: Any, worm: Any, module: Any, out: Outgoing, volume: Any, voxel: VoxelSize) -> None:
    planes = [
        _describe_neurons(pynwb, one, out, volume, voxel)
        for _, one in sorted(out.known.annotations.items())
        if len(one)
    ]
    segmentation = pynwb.ophys.ImageSegmentation(name="CalciumSeriesSegmentation", plane_segmentations=planes)
    module.add(segmentation)
    identities = _list_identities(out)
    if identities:
        module.add(
            worm.SegmentationLabels(
                name="NeuronIDs",
                labels=[out.known.names.get(number, "") for number in identities],
                description="cell names in the order of the traces' columns; empty where a neuron has none",
                ImageSegmentation=segmentation,
            )
        )


def _describe_neurons(pynwb: Any, one: Annotation, out: Outgoing, volume: Any, voxel: VoxelSize) -> Any:
    """The neurons of one volume: a voxel at the centre of each, and in columns of our own all that is known exactly."""
    core = import_module("hdmf.common")
    mask = _mark_centres(one.centre_um / np.array(voxel))
    masks = core.VectorData(name="voxel_mask", description="the voxel at the centre of the neuron", data=mask)
    ends = np.arange(1, len(one) + 1)
    owners = np.where(one.regions.neuron < 0, len(one), one.regions.neuron)
    order = np.lexsort((one.regions.z, owners))[: int((one.regions.neuron >= 0).sum())]
    boxes = np.column_stack([one.regions.z, one.regions.box_px])[order].astype(float).reshape(-1, 5)
    ends_boxes = np.cumsum(np.bincount(owners, minlength=len(one) + 1)[: len(one)])
    names = [out.known.names.get(number, "") for number in one.identity.tolist()]
    plain = {
        "identity": (one.identity, "number that follows the neuron through time; -1 where it was not recognized"),
        "probability": (one.probability, "that the identity is right"),
        "label": (names, "cell name, empty where there is none"),
        **{f"{axis}_um": (one.centre_um[:, place], f"centre along {axis}") for place, axis in enumerate("zyx")},
    }
    columns = [masks, core.VectorIndex(name="voxel_mask_index", data=ends, target=masks)]
    columns += [core.VectorData(name=name, description=words, data=data) for name, (data, words) in plain.items()]
    colnames = ["voxel_mask", *plain]
    if len(boxes):
        drawn = core.VectorData(name="boxes", description="z, x, y, w, h of each box in pixels", data=boxes)
        columns += [drawn, core.VectorIndex(name="boxes_index", data=ends_boxes, target=drawn)]
        colnames.append("boxes")
    return pynwb.ophys.PlaneSegmentation(
        name=f"Seg_tpoint_{one.volume}",
        description=f"neurons of volume {one.volume}; the same identity is the same neuron in all volumes",
        imaging_plane=volume,
        id=list(range(len(one))),
        columns=columns,
        colnames=colnames,
    )


def _mark_centres(centre_px: Float[np.ndarray, "n 3"]) -> Any:
    """One voxel (x, y, z, weight) for each centre."""
    kind = [("x", np.uint32), ("y", np.uint32), ("z", np.uint32), ("weight", np.float32)]
    mask = np.ones(len(centre_px), kind)
    whole = np.clip(np.rint(centre_px), 0, None).astype(np.uint32)
    mask["z"], mask["y"], mask["x"] = whole.T
    return mask


def _list_identities(out: Outgoing) -> list[int]:
    if out.traces is not None:
        return sorted(out.traces["identity"].unique().to_list())
    return sorted({int(n) for one in out.known.annotations.values() for n in one.identity if n >= 0})


def _add_traces(pynwb: Any, module: Any, out: Outgoing, volume: Any, voxel: VoxelSize) -> None:
    if out.traces is None or not out.traces.height:
        return
    identities = _list_identities(out)
    table = _describe_identities(pynwb, out, identities, volume, voxel)
    module.add(pynwb.ophys.ImageSegmentation(name="TrackedNeurons", plane_segmentations=[table]))
    spaced = _space(dict(out.traces.select("volume", "time_s").drop_nulls().unique().rows()))

    def respond(name: str, column: str, words: str, unit: str) -> Any:
        wide = out.traces.pivot(on="identity", index="volume", values=column).sort("volume")  # type: ignore[union-attr]
        data = wide.select([str(number) for number in identities]).cast(pl.Float64).fill_null(float("nan")).to_numpy()
        rois = table.create_roi_table_region(region=list(range(len(identities))), description="the columns of data")
        return pynwb.ophys.RoiResponseSeries(
            name=name, description=words, data=np.ascontiguousarray(data), rois=rois, unit=unit, **spaced
        )

    for container, (name, column, words) in _SERIES.items():
        kind = pynwb.ophys.DfOverF if container == "ProcessedDFoF" else pynwb.ophys.Fluorescence
        unit = "camera counts" if column in ("red", "green") else "n.a."
        holder = kind(name=container)
        # First the holder: a reference to the table is refused where both are not in one file yet.
        module.add(holder)
        holder.add_roi_response_series(respond(name, column, words, unit))
    module.add(respond("IdentityProbability", "probability", "that the identity is right in this volume", "n.a."))


def _describe_identities(pynwb: Any, out: Outgoing, identities: list[int], volume: Any, voxel: VoxelSize) -> Any:
    """One row per identity, at the place where it was first seen."""
    core = import_module("hdmf.common")
    places: dict[int, Any] = {}
    for _, one in sorted(out.known.annotations.items()):
        for row, number in enumerate(one.identity.tolist()):
            places.setdefault(number, one.centre_um[row])
    centre = np.array([places.get(number, np.zeros(3)) for number in identities]).reshape(-1, 3)
    mask = _mark_centres(centre / np.array(voxel))
    masks = core.VectorData(name="voxel_mask", description="the voxel where it was first seen", data=mask)
    columns = [masks, core.VectorIndex(name="voxel_mask_index", data=np.arange(1, len(mask) + 1), target=masks)]
    names = [out.known.names.get(number, "") for number in identities]
    columns.append(core.VectorData(name="identity", description="its number", data=np.array(identities)))
    columns.append(core.VectorData(name="label", description="cell name, empty where there is none", data=names))
    return pynwb.ophys.PlaneSegmentation(
        name="Identities",
        description="neurons that were followed through time, in the order of the traces' columns",
        imaging_plane=volume,
        id=list(range(len(identities))),
        columns=columns,
        colnames=["voxel_mask", "identity", "label"],
    )


def _tabulate_volumes(pynwb: Any, out: Outgoing, times: dict[int, float]) -> Any:
    """One row per volume: its time, whether it is complete or flagged, and the head."""
    core = import_module("hdmf.common")
    volumes = [one for _, one in sorted(out.known.annotations.items())]
    cells = [head_to_cells(one.head) for one in volumes]
    columns: dict[str, tuple[str, Any]] = {
        "volume": ("index in the recording, from 0", np.array([one.volume for one in volumes])),
        "time_s": ("middle of the volume", np.array([times[one.volume] for one in volumes])),
        "complete": ("whether every neuron is marked", np.array([one.complete for one in volumes])),
        "flagged": ("whether the volume is doubtful", np.array([one.flagged for one in volumes])),
    }
    for name in HEAD_COLUMNS:
        found = [one[name] for one in cells]
        data: Any = (
            [word or "" for word in found]
            if name == "outline"
            else np.array([np.nan if value is None else float(value) for value in found])
        )
        columns[name] = (f"{name} of the head, in pixels of the full frame; NaN or empty where unknown", data)
    return core.DynamicTable(
        name="Volumes",
        description="one row per volume of the recording",
        columns=[core.VectorData(name=name, description=words, data=data) for name, (words, data) in columns.items()],
    )
