"""NWB: read by pynwb, passed by nwbinspector, and taken back whole."""

import re
import warnings
from pathlib import Path

import h5py
import ndx_multichannel_volume  # registers the extension
import numpy as np
import pynwb
import pytest
from nwbinspector import inspect_nwbfile, load_config

from cases.exchanged import SHAPE, SUBJECT, VOLUMES, add_subject, list_places, make_worm
from cases.recorded import VOXEL
from cender.errors import DataError, UnreadableRecording
from cender.io import open_recording
from cender.io.exchange.doors import export_file, import_file
from cender.io.recordings.formats.nwb import settle_order
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.subject import keep_subject

assert ndx_multichannel_volume


def write_worm(folder: Path, images: bool, volumes: int = VOLUMES) -> Path:
    """An NWB file; the run folder it was made of, and the recording of that, lie beside it."""
    worm = make_worm(folder, volumes)
    add_subject(worm)
    export_file(worm, folder / "worm.nwb", images=images)
    return folder / "worm.nwb"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An NWB file with images, written once; not to be changed."""
    return write_worm(tmp_path_factory.mktemp("nwb"), images=True)


def test_pynwb_reads_what_was_written(file: Path) -> None:
    with pynwb.NWBHDF5IO(str(file), "r") as opened:
        nwb = opened.read()
        assert (nwb.subject.subject_id, nwb.subject.growth_stage, nwb.subject.age) == ("worm-17", "YA", "P3D")
        assert nwb.notes == "food: OP50"
        activity = nwb.processing["CalciumActivity"]
        segmentation = activity["CalciumSeriesSegmentation"]
        assert sorted(segmentation.plane_segmentations) == [f"Seg_tpoint_{t}" for t in range(VOLUMES)]
        first = segmentation["Seg_tpoint_0"].to_dataframe()
        assert first["identity"].tolist() == [5, 6, -1]
        assert first["probability"].tolist() == pytest.approx([0.5, 0.6, 0.7])
        assert first["label"].tolist() == ["AVAL", "", ""]
        assert [tuple(row[0])[:3] for row in first["voxel_mask"]] == [(5, 2, 1), (5, 10, 1), (5, 18, 1)]
        signal = activity["SignalRawFluor"]["SignalCalciumImResponseSeries"]
        assert np.array_equal(signal.data[:], np.repeat(50.0 + np.arange(VOLUMES)[:, None], 3, axis=1))
        assert (signal.rate, signal.starting_time) == pytest.approx((5.0, 0.1))
        assert signal.rois.table["identity"][:].tolist() == [5, 6, 7]
        ratio = activity["ProcessedRatio"]["RatioCalciumImResponseSeries"].data[:]
        assert np.isnan(ratio[:, 2]).tolist() == [True, False, True, False]
        assert activity["ReferenceRawFluor"]["ReferenceCalciumImResponseSeries"].data[0, 0] == 100
        assert activity["ProcessedDFoF"]["ProcessedCalciumImResponseSeries"].data.shape == (VOLUMES, 3)
        assert activity["NeuronIDs"].labels[:].tolist() == ["AVAL", "", ""]
        images = nwb.acquisition["CalciumImageSeries"]
        assert images.data.shape == (VOLUMES, *SHAPE[::-1], 2)
        with h5py.File(file.with_name("worm.h5")) as source:
            assert np.array_equal(images.data[2].transpose(3, 2, 1, 0), source["data"][2])


def inspect(file: Path, **options) -> list:
    with warnings.catch_warnings():
        # The inspector's own libraries warn of each other; they are not under test.
        warnings.simplefilter("ignore")
        return list(inspect_nwbfile(nwbfile_path=str(file), **options))


SERIOUS = ("CRITICAL", "ERROR", "PYNWB_VALIDATION")


@pytest.mark.parametrize(("images", "volumes"), [(False, VOLUMES), (True, VOLUMES), (True, max(SHAPE))])
def test_the_inspector_finds_nothing_critical(tmp_path: Path, file: Path, images: bool, volumes: int) -> None:
    """But for short recordings with images, where it guesses from the sizes that time is not the first axis.

    As DANDI asks it to inspect, it does not guess.
    """
    guessed = images and volumes < max(SHAPE)
    file = file if guessed else write_worm(tmp_path, images, volumes)
    # More volumes of the same kind are as valid as few, which takes longest to tell.
    longer = volumes > VOLUMES
    found = inspect(file, skip_validate=longer)
    serious = {(one.check_function_name, one.location) for one in found if one.importance.name in SERIOUS}
    assert serious == ({("check_data_orientation", "/acquisition/CalciumImageSeries")} if guessed else set())
    # The extension answers 0 nm whatever is in the file.
    doubtful = [one for one in found if one.importance.name == "BEST_PRACTICE_VIOLATION"]
    assert {one.check_function_name for one in doubtful} <= {"check_excitation_lambda_in_nm"}
    # Whether the file is valid was said above, whatever the settings.
    found = [] if longer else inspect(file, config=load_config("dandi"), skip_validate=True)
    assert [one for one in found if one.importance.name in SERIOUS] == []
    with h5py.File(file) as plain:
        assert plain["general/optophysiology/CalciumImVol/excitation_lambda"][()] == 561


def test_everything_comes_back(file: Path, other: Path) -> None:
    moved = import_file(other, file, "ben")
    assert (moved.volumes, moved.neurons, moved.identities) == (VOLUMES, 3 * VOLUMES, 3)
    assert "SignalCalciumImResponseSeries" in moved.lost
    assert "10 of 10 identities have a probability below 1" in moved.doubts[0]
    with EditLog(other) as log:
        (entry,) = log.since()
        assert entry.author == "ben"
        states, names = log.states(), log.identities()
    assert names[5].name == "AVAL"
    for volume, places in list_places(file.with_name("worm")).items():
        marks = states[volume].marks.values()
        back = [(*np.round(m.centre_um, 6).tolist(), -1 if m.identity is None else m.identity) for m in marks]
        assert back == places
        assert all(len(mark.boxes or ()) == 1 for mark in marks)
        assert states[volume].head is not None
        assert not states[volume].complete, "the machine cannot say that it found every neuron"


def test_a_recording_that_was_moved_is_found_beside_the_folder_or_asked_for(worm: Path, tmp_path: Path) -> None:
    add_subject(worm)
    (tmp_path / "elsewhere").mkdir()
    moved = worm.rename(tmp_path / "elsewhere" / "worm")
    (tmp_path / "worm.h5").rename(tmp_path / "elsewhere" / "worm.h5")
    export_file(moved, tmp_path / "worm.nwb", images=True)
    assert len(open_recording(tmp_path / "worm.nwb")) == VOLUMES
    (tmp_path / "elsewhere" / "worm.h5").unlink()
    with pytest.raises(DataError, match=r"is not there any more.*cender run NEW_PLACE"):
        export_file(moved, tmp_path / "more.nwb", images=True)
    assert not (tmp_path / "more.nwb").exists()


def test_images_come_back_through_the_reader(file: Path) -> None:
    recording = open_recording(file)
    assert (recording.format, recording.shape) == ("nwb", (VOLUMES, 2, *SHAPE))
    assert recording.voxel_um == pytest.approx(VOXEL)
    assert (recording.rate_hz, recording.roles, recording.missing) == (5.0, ("red", "green"), ())
    with h5py.File(file.with_name("worm.h5")) as source:
        assert np.array_equal(recording.read(3, (0, 1)), source["data"][3])


def test_what_cannot_be_known_is_asked_for_and_nothing_is_written(worm: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        export_file(worm, tmp_path / "worm.nwb")
    message = str(caught.value)
    for name in ("subject_id", "sex", "growth_stage", "session_start", "experimenter", "[subject.red]"):
        assert name in message
    assert not (tmp_path / "worm.nwb").exists()


def test_a_subject_is_handed_over_once(worm: Path, tmp_path: Path) -> None:
    given = tmp_path / "subject.toml"
    given.write_text(SUBJECT, encoding="utf-8")
    keep_subject(worm, given)
    assert export_file(worm, tmp_path / "worm.nwb").lost == ()
    given.write_text('[recording]\nsource = "x"\n', encoding="utf-8")
    with pytest.raises(DataError, match="one section"):
        keep_subject(worm, given)


@pytest.mark.parametrize(
    ("line", "replacement", "words"),
    [
        ("2024-05-17T14:30:00+02:00", "2024-05-17T14:30:00", "session_start"),
        ('sex = "XX"', 'sex = "hermaphrodite"', "sex"),
        ("emission_nm = [500, 550]", "", "green.emission_nm"),
        ('"P3D"', '"3 days"', "age"),
    ],
)
def test_malformed_answers_are_refused(worm: Path, tmp_path: Path, line: str, replacement: str, words: str) -> None:
    add_subject(worm)
    text = (worm / "run.toml").read_text(encoding="utf-8")
    (worm / "run.toml").write_text(text.replace(line, replacement), encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(words)):
        export_file(worm, tmp_path / "worm.nwb")


def write_foreign(path: Path, x: int = 5) -> None:
    """A file of another program: several voxels per neuron, rows are identities, names in NeuronIDs."""
    kind = [("x", "u4"), ("y", "u4"), ("z", "u4"), ("weight", "f4")]
    with h5py.File(path, "w") as file:
        file.attrs["nwb_version"] = "2.6.0"
        segmentation = file.create_group("processing/CalciumActivity/CalciumSeriesSegmentation")
        segmentation.attrs["neurodata_type"] = "ImageSegmentation"
        for t in range(2):
            plane = segmentation.create_group(f"Seg_tpoint_{t}")
            plane["voxel_mask"] = np.array([(x, 2, 1, 1), (x, 4, 1, 1), (x, 10, 2, 1)], kind)
            plane["voxel_mask_index"] = np.array([2, 3])
        file["processing/CalciumActivity/NeuronIDs/labels"] = np.array(["RIS", ""], object)


def test_files_of_other_programs_have_rows_as_identities(other: Path, tmp_path: Path) -> None:
    write_foreign(tmp_path / "theirs.nwb")
    import_file(other, tmp_path / "theirs.nwb", "ben")
    with EditLog(other) as log:
        marks = list(log.state(1).marks.values())
        assert [mark.identity for mark in marks] == [0, 1]
        assert log.identities()[0].name == "RIS"
    assert marks[0].centre_um == (1.5, 1.5, 2.5)


def test_exchanged_axes_are_noticed(other: Path, tmp_path: Path) -> None:
    write_foreign(tmp_path / "theirs.nwb", x=22)
    with pytest.raises(DataError, match="x and y are exchanged"):
        import_file(other, tmp_path / "theirs.nwb", "ben")


@pytest.mark.parametrize(
    ("shape", "dimension", "channels", "axes", "warned"),
    [
        ((9, 64, 32, 8, 2), (64, 32, 8), 2, "TXYZC", False),
        ((9, 2, 8, 32, 64), (64, 32, 8), 2, "TCZYX", True),
        ((9, 32, 64, 8, 2), (64, 32, 8), 2, "TYXZC", True),
        ((9, 64, 32, 8), (64, 32, 8), 1, "TXYZ", False),
        ((9, 64, 32, 8, 2), (), 0, "TXYZC", True),
        ((9, 2, 8, 32, 64), (), 2, "T????", True),
        ((9, 64, 32, 8, 2), (10, 10, 10), 2, "T????", True),
    ],
)
def test_the_order_of_axes_is_checked_against_sizes(shape, dimension, channels, axes, warned) -> None:
    found, warnings = settle_order(shape, dimension, channels)
    assert (found, bool(warnings)) == (axes, warned)


def test_nwb_without_volumes_is_explained(tmp_path: Path) -> None:
    write_foreign(tmp_path / "theirs.nwb")
    with pytest.raises(UnreadableRecording, match="expected one series of volumes in acquisition"):
        open_recording(tmp_path / "theirs.nwb")
