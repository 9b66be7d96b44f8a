"""Gaps: a neuron that was missed in one volume is found again where the others say it lies, with its light."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cases.recorded import VOXEL
from cender.annotate.edits import DeleteNeuron
from cender.annotate.marks import Spot
from cender.config import load_config
from cender.io import save_recording
from cender.io.results.annotations.human import save_human
from cender.io.results.annotations.log import EditLog
from cender.pipeline import run as run_module
from cender.pipeline.recording import gaps as gaps_module
from cender.pipeline.recording import recording_pass
from cender.pipeline.run import Run, run_recording
from cender.pipeline.volumes.executor import Processed
from cender.pipeline.volumes.reading import PatientReader, Unreadable
from cender.types import (
    Annotation,
    Crop,
    Head,
    Identities,
    Intensities,
    Neurons,
    Outcome,
    Recording,
    Regions,
    Volume,
)

VOLUMES, FRAMES, SIDE_PX = 6, 9, 64
PLACES = np.array(
    [[4.0, 8 + 12 * row, 8 + 12 * column] for row in range(5) for column in range(3)] + [[4.0, 12.4, 8.0]]
)
"""Centres in pixels (z y x) in the first volume; the last neuron lies 2.2 µm from the first."""
LAST = len(PLACES) - 1
LEVEL = 300 + 20.0 * np.arange(len(PLACES))
MISSED_IN = 3


def place(volume: int) -> np.ndarray:
    """Where the neurons lie in a volume: all drift together."""
    return PLACES + np.array([0.0, 0.0, 1.5 * volume])


def draw(volume: int) -> np.ndarray:
    """Two channels with bells; green is half as bright as red, the last neuron twice as bright."""
    z, y, x = np.indices((FRAMES, SIDE_PX, SIDE_PX))
    image = np.full((2, FRAMES, SIDE_PX, SIDE_PX), 100.0)
    for row, (cz, cy, cx) in enumerate(place(volume)):
        bell = LEVEL[row] * np.exp(-((z - cz) ** 2 / 2 + ((y - cy) ** 2 + (x - cx) ** 2) / 4))
        image += np.array([1.0, 2.0 if row == LAST else 0.5])[:, None, None, None] * bell
    return image.astype(np.uint16)


def find(volume: int) -> Outcome:
    """What the volume pass finds: everything, but the last neuron not in one volume."""
    rows = np.arange(LAST if volume == MISSED_IN else LAST + 1)
    centre = place(volume)[rows]
    z = np.tile([3, 4, 5], len(rows))
    owner = np.repeat(rows, 3)
    box = np.column_stack([centre[owner, 2] - 1.5, centre[owner, 1] - 1.5, np.full((len(owner), 2), 4.0)])
    regions = Regions.from_boxes(z, box, neuron=owner)
    head = Head(Crop(0, 0, 64, 64), np.zeros((0, 2)), np.zeros(2), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    three, five, one = np.full(len(rows), 3), np.full(len(rows), 5), np.ones(len(rows))
    light = Intensities(0.7 * LEVEL[rows], 0.35 * LEVEL[rows], 100 * one, 100 * one)
    return Outcome(volume, 0.0, "ok", "", head, Neurons(centre, three, five, 0.9 * one, regions), {}, light)


@dataclass
class Executor:
    """Gives the made-up outcomes."""

    asked: list[int] = field(default_factory=list)

    def process(self, job: object, recording: Recording, volumes: Iterable[int]) -> Iterator[Processed]:
        for volume in volumes:
            self.asked.append(volume)
            yield Processed(find(volume))


def name_by_row(volumes, annotated, config, **more) -> dict[int, Identities]:
    return {one.volume: Identities(np.arange(len(one)), np.full(len(one), 0.95)) for one in volumes}


@pytest.fixture
def film(tmp_path: Path) -> Path:
    data = np.stack([draw(volume) for volume in range(VOLUMES)])
    path = tmp_path / "film.h5"
    read = lambda volume, channels: data[volume, list(channels)]  # noqa: E731
    save_recording(
        Recording(str(path), "memory", data.shape, data.dtype, read, VOXEL, 5.0, roles=("red", "green")), path
    )
    return path


@pytest.fixture
def go(tmp_path: Path, film: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Run, list[int]]]:
    """Run, and say which volumes were read again."""
    monkeypatch.setattr(recording_pass, "identify_recording", name_by_row)
    monkeypatch.setattr(run_module, "choose_executor", lambda *_: Executor())

    def call(*sets: str) -> tuple[Run, list[int]]:
        read: list[int] = []
        look = gaps_module._read_light

        def look_and_note(reader: PatientReader, volume: int, *more: object) -> object:
            read.append(volume)
            return look(reader, volume, *more)

        with monkeypatch.context() as patch:
            patch.setattr(gaps_module, "_read_light", look_and_note)
            config = load_config(None, ["run.part_volumes=4", *sets])
            return run_recording(film, tmp_path / "worm", config), read

    return call


def rows_of(run: Run, volume: int = MISSED_IN) -> pl.DataFrame:
    return run.neurons.filter((pl.col("volume") == volume) & (pl.col("identity") == LAST))


def test_a_missed_neuron_is_filled_in_with_its_light(go) -> None:
    assert rows_of(go("recognize.fill_gaps=false")[0]).height == 0
    run, read = go()
    assert read == [MISSED_IN], "only the volume with a gap is read again"
    row = rows_of(run).row(0, named=True)
    assert [row["z_px"], row["y_px"], row["x_px"]] == pytest.approx(place(MISSED_IN)[LAST], abs=0.1)
    assert (row["neuron"], row["z_first"], row["z_last"], row["source"]) == (LAST, 3, 5, "machine")
    assert 0.5 <= row["probability"] < 0.95
    assert row["green"] / row["red"] == pytest.approx(2.0, rel=0.15), "its own light, not that of its neighbour"
    boxes = run.regions.filter((pl.col("volume") == MISSED_IN) & (pl.col("neuron") == LAST))
    assert boxes["z"].to_list() == [3, 4, 5]
    trace = run.traces.filter((pl.col("identity") == LAST) & (pl.col("volume") == MISSED_IN))
    assert trace["valid"].to_list() == [True]
    assert "1 neuron was found in 1 volume only because other volumes expect it there (recognize.fill_gaps)" in (
        run.summary.advice
    )


def test_one_that_is_fainter_than_faint_neurons_has_a_place_but_no_light(go, monkeypatch) -> None:
    monkeypatch.setattr(gaps_module, "measure_intensities", lambda stack, neurons, *_: dim(len(neurons), 150.0))
    row = rows_of(go()[0]).row(0, named=True)
    assert (row["red"], row["green"]) == (None, None)
    assert row["background_red"] == 1


def test_what_was_measured_is_kept(go) -> None:
    first, _ = go()
    again, read = go("activity.least_probability=0.4")
    assert read == []
    assert rows_of(again).equals(rows_of(first))


def test_a_neuron_that_a_person_removed_stays_away(go, tmp_path) -> None:
    where = tuple(place(MISSED_IN)[LAST] * np.array(VOXEL))
    go()
    with EditLog(tmp_path / "worm") as log:
        log.append("ana", DeleteNeuron(spot=Spot(volume=MISSED_IN, key=f"m{LAST}", place_um=where)))
    assert rows_of(go()[0]).height == 0


def test_a_volume_whose_neurons_are_all_marked_is_left_alone(go, tmp_path) -> None:
    seen = find(MISSED_IN).neurons
    said = Annotation.from_points(MISSED_IN, seen.centre_px * np.array(VOXEL), np.arange(len(seen)))
    save_human(tmp_path / "worm" if go() else tmp_path, replace(said, voxel_um=VOXEL))
    assert rows_of(go()[0]).height == 0


def test_a_gap_without_light_stays_empty(go, monkeypatch) -> None:
    monkeypatch.setattr(gaps_module, "measure_intensities", lambda stack, neurons, *_: dim(len(neurons)))
    run, read = go()
    assert read == [MISSED_IN]
    assert rows_of(run).height == 0


def dim(count: int, light: float = 1e-3) -> Intensities:
    return Intensities(np.full(count, light), np.full(count, light), np.ones(count), np.ones(count))


def test_a_volume_that_cannot_be_read_again_keeps_its_gap(go, monkeypatch) -> None:
    def read(self: PatientReader, index: int) -> Volume | Unreadable:
        return Unreadable("damaged", "gone") if index == MISSED_IN else usual(self, index)

    usual = PatientReader.read
    monkeypatch.setattr(PatientReader, "read", read)
    run, _ = go()
    assert rows_of(run).height == 0
    assert rows_of(run, 2).height == 1


def test_the_papers_method_has_no_such_help(go) -> None:
    run, read = go("recognize.method=paper")
    assert (rows_of(run).height, read) == (0, [])
