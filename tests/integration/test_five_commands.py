"""The five commands of the page on other programs, from ZephIR's files to NWB, as a reader would type them."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import uuid
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

from cases.exchanged import SUBJECT
from cender.cli.app import app
from cender.io.results.annotations.log import EditLog
from cender.simulate import SimulateParams, Simulation, simulate_recording

PAGE = Path(__file__).parents[2] / "docs/exchange.md"
CENDER = shutil.which("cender", path=Path(sys.executable).parent) or "cender"
VOXEL_UM = (2.0, 0.8, 0.8)
SHAPE = (6, 160, 160)
VOLUMES = 4
# A reader's training takes a minute or two; here it only has to take place.
QUICK = {"steps": 8, "self_steps": 4, "self_rounds": 1, "warped": 2, "threads": 1}
SHORTER = [word for name, value in QUICK.items() for word in ("--set", f"train_recognizer.{name}={value}")]


def read_commands() -> list[list[str]]:
    """The commands under the page's first heading."""
    block = re.search(r"## From ZephIR.*?```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    voxel = ",".join(map(str, VOXEL_UM))
    return [shlex.split(line.replace("1.5,0.3,0.3", voxel)) for line in block[1].splitlines()]


def write_zephir(folder: Path, simulated: Simulation) -> None:
    """A folder as ZephIR has it: images and times, and people's points in two volumes."""
    folder.mkdir()
    recording, rows = simulated.recording, [simulated.annotate(volume) for volume in (0, 2)]
    with h5py.File(folder / "data.h5", "w") as file:
        file["data"] = np.stack([volume.data for volume in recording])
        file["times"] = np.array([recording.time_s(index) for index in range(VOLUMES)])
    share = np.concatenate([one.centre_um for one in rows]) / np.array(VOXEL_UM)
    share = np.clip((share + 0.5) / np.array(SHAPE), 0, 1)
    with h5py.File(folder / "annotations.h5", "w") as file:
        count = sum(map(len, rows))
        file["id"] = np.arange(1, count + 1, dtype=np.uint32)
        file["t_idx"] = np.concatenate([np.full(len(one), one.volume) for one in rows]).astype(np.uint32)
        for place, axis in enumerate("zyx"):
            file[axis] = share[:, place].astype(np.float32)
        file["worldline_id"] = np.concatenate([one.identity for one in rows]).astype(np.uint32)
        file["parent_id"] = np.zeros(count, np.uint32)
        file["provenance"] = np.full(count, b"ANTT", "S4")


def write_real(folder: Path, simulated: Simulation, real: Path) -> None:
    """The same images beside people's real points: five neurons, as far as there are volumes.

    No images of the real file are at hand, so its points lie where nothing is; its layout is what is under test.
    """
    write_zephir(folder, simulated)
    for name in ("annotations", "worldlines"):
        (folder / f"{name}.h5").unlink(missing_ok=True)
        shutil.copy(real / f"zephir_{name}.h5", folder / f"{name}.h5")
    with h5py.File(folder / "annotations.h5", "r+") as file:
        here = file["t_idx"][()] < VOLUMES
        columns = {name: file[name][()][here] for name in list(file)}
        for name, column in columns.items():
            del file[name]
            file[name] = column


def run(words: list[str]) -> str:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return result.stderr


def proofread(words: list[str], folder: Path) -> None:
    """Open the page, name a neuron as its buttons do, and stop it with Ctrl-C."""
    server = subprocess.Popen([CENDER, *words, "--no-browser"], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(re.search(r":(\d+)/", server.stdout.readline())[1])  # type: ignore[index]
        volume = ask(port, "GET", "/api/volumes/1")
        neuron = volume["neurons"][0]
        spot = {"volume": 1, "key": neuron["key"], "place_um": neuron["anchor_um"]}
        edit = {"kind": "assign", "spots": [spot], "identity": 999}
        ask(port, "POST", "/api/edits", {"author": "ana", "ticket": uuid.uuid4().hex, "edit": edit})
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)


def ask(port: int, method: str, path: str, body: Any = None) -> Any:
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        data = None if body is None else json.dumps(body).encode()
        line.request(method, path, data, {"Content-Type": "application/json"})
        answer = line.getresponse()
        content = answer.read()
    finally:
        line.close()
    assert answer.status == 200, content
    return json.loads(content)


@pytest.mark.parametrize("made_by", ["layout", pytest.param("people", marks=pytest.mark.real)])
def test_from_zephir_to_nwb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_by: str, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    params = SimulateParams(preset="easy", seed=5802, volumes=VOLUMES, shape=SHAPE, voxel_um=VOXEL_UM)
    if made_by == "people":
        write_real(tmp_path / "zephir", simulate_recording(params), request.getfixturevalue("real_data"))
    else:
        write_zephir(tmp_path / "zephir", simulate_recording(params))
    (tmp_path / "subject.toml").write_text(SUBJECT, encoding="utf-8")
    commands = read_commands()
    assert [words[:2] for words in commands] == [
        ["cender", name] for name in ("import", "train", "run", "annotate", "export")
    ]
    take, learn, work, look, write = (words[1:] for words in commands)
    assert ("4 volumes" if made_by == "people" else "2 volumes") in run(take)
    run([*learn, *SHORTER])
    run([*work, *SHORTER, "--workers", "1"])
    proofread(look, tmp_path)
    with EditLog(tmp_path / "worm1") as log:
        assert [entry.author for entry in log.since()][-1] == "ana"
    run(write)
    with h5py.File(tmp_path / "worm1.nwb") as file:
        activity = file["processing/CalciumActivity"]
        planes = activity["CalciumSeriesSegmentation"]
        assert {f"Seg_tpoint_{volume}" for volume in range(VOLUMES)} <= set(planes)
        assert 999 in planes["Seg_tpoint_1/identity"][()]
        assert (planes["Seg_tpoint_0/identity"][()] >= 0).sum() > (4 if made_by == "people" else 20)
        assert activity["SignalRawFluor/SignalCalciumImResponseSeries/data"].shape[0] == VOLUMES
