"""NWB files as the WormID labs write them: animal, optics, neurons of every volume, identities, traces and images."""

import uuid
import warnings
from pathlib import Path
from typing import Any

import cender
from cender.errors import DataError
from cender.io.atomic import write_atomically
from cender.io.exchange.format import Outgoing
from cender.io.exchange.nwb.images import describe_images
from cender.io.exchange.nwb.kit import Kit, find_kit
from cender.io.exchange.nwb.neurons import add_neurons
from cender.io.exchange.nwb.optics import describe_optics, find_channels
from cender.io.exchange.nwb.subject import Subject, read_subject
from cender.io.exchange.nwb.traces import add_traces
from cender.io.exchange.nwb.volumes import tabulate_volumes


def save_nwb(out: Outgoing, path: Path) -> None:
    """Write one NWB file; what NWB requires and the run folder does not say is refused, never invented."""
    kit = find_kit(path)
    voxel, times = out.around.require_voxel(f"{path}: NWB needs the voxel size"), _find_times(out)
    recording = None if out.recording is None else out.recording()
    channels = find_channels(out, recording)
    subject = read_subject(out.subject, channels, out.folder)
    file = _describe_session(kit, out, subject)
    device = file.create_device(name="Microscope", description=subject.microscope)
    volume = describe_optics(kit, subject, channels, voxel, device)
    file.add_imaging_plane(volume)
    if recording is not None:
        file.add_acquisition(describe_images(kit, recording, volume, device))
    module = file.create_processing_module(
        name="CalciumActivity", description="neurons, their identities and their activity, found by cender"
    )
    add_neurons(kit, module, out, volume)
    add_traces(kit, module, out, volume)
    module.add(tabulate_volumes(kit, out, times))
    with write_atomically(path) as part, warnings.catch_warnings():
        # The part is renamed when it is whole; until then its name ends otherwise.
        warnings.filterwarnings("ignore", message=".*does not end in")
        # The extension has channels of its own kind, which the validator takes for those that are asked for here.
        warnings.filterwarnings("ignore", message=".*missing required value for attribute 'optical_channel'")
        with kit.pynwb.NWBHDF5IO(str(part), "w") as target:
            target.write(file)


def _find_times(out: Outgoing) -> dict[int, float]:
    """The middle of each volume that is written."""
    known, rate = out.known, out.around.rate_hz
    if rate:
        return {volume: known.time_s.get(volume, (volume + 0.5) / rate) for volume in known.annotations}
    if all(volume in known.time_s for volume in known.annotations):
        return dict(known.time_s)
    raise DataError(f"NWB needs times and {out.folder} has none; run again with --set recording.rate_hz=…")


def _describe_session(kit: Kit, out: Outgoing, subject: Subject) -> Any:
    given = out.known.provenance.get("source") or str(out.folder)
    file = kit.pynwb.NWBFile(
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
    file.subject = kit.worm.CElegansSubject(
        subject_id=subject.subject_id,
        sex=subject.sex,
        species=subject.species,
        growth_stage=subject.growth_stage,
        description=subject.description or "one animal",
        **{name: value for name, value in said.items() if value is not None},
    )
    return file
