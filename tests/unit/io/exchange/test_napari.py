"""A run folder opened in napari's own model of a viewer, through the plugin that the package declares."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import h5py
import numpy as np
import pytest

import cender
from cases.exchanged import SHAPE, VOLUMES, list_places
from cases.recorded import VOXEL
from cender.io.exchange.doors import import_file
from cender.io.exchange.napari_reader import find_reader
from cender.io.results.annotations.log import EditLog

ROOT = Path(__file__).parents[4]
# In a process of its own: napari changes what others of its process see (settings, warnings, signals).
OPEN = """
import json, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import napari.components
import numpy as np
from npe2 import PluginManager, PluginManifest
import cender
plugins = PluginManager.instance()
plugins.discover()
if "cender" not in plugins:
    plugins.register(PluginManifest.from_file(Path(cender.__file__).parent / "napari.yaml"))
viewer = napari.components.ViewerModel()
viewer.open(sys.argv[1], plugin="cender")
viewer.dims.set_point(0, 2)
viewer.layers["neurons"].save(sys.argv[2])
layers = [
    {"kind": type(one).__name__, "name": one.name, "shape": list(np.shape(one.data)), "scale": list(one.scale),
     "units": [str(unit) for unit in one.units], "axes": list(one.axis_labels), "far": one.extent.world[1].tolist()}
    for one in viewer.layers
]
neurons = viewer.layers["neurons"]
print(json.dumps({
    "layers": layers,
    "green": np.asarray(viewer.layers["green"].data[2]).tolist(),
    "world": [list(map(float, neurons.data_to_world(place))) for place in neurons.data],
    "identity": neurons.features["identity"].tolist(),
    "name": neurons.features["name"].tolist(),
}))
"""


@pytest.fixture
def opened(worm: Path, tmp_path: Path) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(worm), str(tmp_path / "saved.csv")],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(cender.__file__).parents[1]),
            "NAPARI_CONFIG": str(tmp_path / "napari.yaml"),
        },
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_napari_shows_images_neurons_and_identities(worm: Path, opened: dict, other: Path, tmp_path: Path) -> None:
    layers = {one["name"]: one for one in opened["layers"]}
    assert {name: one["kind"] for name, one in layers.items()} == {
        "red": "Image", "green": "Image", "neurons": "Points", "identities": "Tracks"
    }  # fmt: skip
    assert layers["red"]["shape"] == [VOLUMES, *SHAPE]
    assert layers["neurons"]["shape"] == [3 * VOLUMES, 4]
    for one in layers.values():
        assert one["scale"] == pytest.approx([1, *VOXEL])
        assert one["axes"] == ["volume", "z", "y", "x"]
        assert one["units"] == ["pixel", *["micrometer"] * 3]
    with h5py.File(tmp_path / "worm.h5") as source:
        assert np.array_equal(opened["green"], source["data"][2, 1])
    expected = [(volume, *place) for volume, places in sorted(list_places(worm).items()) for place in places]
    assert np.array(opened["world"]) == pytest.approx(np.array(expected)[:, :4])
    assert opened["identity"] == [row[4] for row in expected]
    assert opened["name"][0] == "AVAL"
    # What napari saves of a layer that it got from us is imported as what it was.
    assert import_file(other, tmp_path / "saved.csv", "ben").format == "napari"
    with EditLog(other) as log:
        marks = log.state(1).marks.values()
        assert log.identities()[5].name == "AVAL"
    assert sorted((*np.round(mark.centre_um, 6).tolist(), mark.identity) for mark in marks) == list_places(worm)[1]


def test_the_package_declares_its_reader(tmp_path: Path) -> None:
    entry = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["napari.manifest"]
    assert entry == {"cender": "cender:napari.yaml"}
    assert find_reader(str(tmp_path)) is None
    assert find_reader([str(tmp_path), str(tmp_path)]) is None
