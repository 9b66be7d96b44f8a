"""Where colours come from: channels of the recording, an image of its own, a table."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases.neuropal import RGBW, write_neuropal
from cender.config import load_config
from cender.errors import DataError
from cender.pipeline.names import colours
from cender.pipeline.names.colours import match_stack, read_channels, read_identities, read_stack
from cender.pipeline.names.views import View
from cender.training.namer.pack import build_naming_model
from cender.types import Cells, Outcome, Recording, Volume, VoxelSize
from unit.name.worms import make_worms, train_small

PLACES = np.array([[3.0, 10.0, 10.0], [4.0, 30.0, 12.0], [2.0, 20.0, 30.0]])
LIGHT = np.array([[100, 0, 10, 40], [0, 100, 10, 40], [20, 20, 90, 40]])


def make_recording(volumes: int = 3) -> Recording:
    data = np.zeros((volumes, 5, 7, 40, 40), np.uint16)
    for place, light in zip(PLACES.astype(int), LIGHT, strict=True):
        z, y, x = place
        data[:, 1:, z - 1 : z + 2, y - 3 : y + 4, x - 3 : x + 4] = light[None, :, None, None, None]
    data[0, 1:] = 0
    voxel = VoxelSize(1.0, 0.5, 0.5)
    return Recording("memory", "array", data.shape, data.dtype, lambda v, c: data[v][list(c)], voxel)


def test_extra_channels_of_the_recording_are_colours() -> None:
    views = [View(volume, (5, 6, 9), PLACES * (1, 0.5, 0.5), PLACES) for volume in range(3)]
    found = read_channels(make_recording(), views, (1, 2, 3, 4))
    assert np.allclose([found[5], found[6], found[9]], LIGHT), "the median is not moved by one dark volume"
    missing = read_channels(make_recording(), views, (1, 2, -1, 4))
    assert np.isnan(missing[5][2])
    assert missing[5][3] == 40


@pytest.mark.parametrize("channels", [(1, 2, 7), (1,)])
def test_channels_that_are_not_there_are_refused(channels: tuple[int, ...]) -> None:
    views = [View(1, (5, 6, 9), PLACES, PLACES)]
    with pytest.raises(DataError, match=r"name\.channels to list two or more of its 5 channels"):
        read_channels(make_recording(), views, channels)


def test_channels_are_given_as_text() -> None:
    assert load_config(sets=["name.channels=2,3,4,-1"]).name.channels == (2, 3, 4, -1)


def test_a_table_of_colours_is_read_and_may_say_identities(tmp_path: Path) -> None:
    path = tmp_path / "stack.csv"
    path.write_text("identity,z_um,y_um,x_um,colour0,colour1\n4,1,2,3,7,8\n,2,3,4,9,10\n")
    stack = read_stack(path, load_config())
    assert stack.colour.tolist() == [[7, 8], [9, 10]]
    assert read_identities(path) == [4, None]
    path.write_text("worm,z_um,y_um,x_um,colour0\na,1,2,3,7\nb,2,3,4,9\n")
    with pytest.raises(DataError, match="found 2 animals"):
        read_stack(path, load_config())
    assert read_identities(path) is None


def test_an_nwb_file_says_which_channels_are_the_colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_recording().volume(1).data
    path = write_neuropal(tmp_path / "head.nwb", data.transpose(3, 2, 1, 0))
    looked_at = []

    def find_nothing(volume: Volume, *rest: Any) -> Outcome:
        looked_at.append(volume.data)
        return Outcome(0, 0.0, "failed", "dark")

    monkeypatch.setattr(colours, "process_volume", find_nothing)
    with pytest.raises(DataError, match=f"no neurons were found in channel {RGBW[3]}: dark"):
        read_stack(path, load_config())
    assert np.array_equal(looked_at[0], data[[RGBW[3]]]), "neurons are found in the pan-neuronal channel of the file"


def test_neurons_of_a_stack_are_matched_to_tracked_ones() -> None:
    """The stack shows the same animal turned, in another order, with some neurons missing."""
    model = build_naming_model(train_small())
    worm = make_worms(1, seed=99)[0]
    rng = np.random.default_rng(2)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    order = rng.permutation(len(worm))[:38]
    places = worm.position_um[order] @ turn.T + rng.normal(size=(38, 3)) * 0.5
    stack = Cells(places, worm.colour[order], ("",) * 38)
    view = View(0, tuple(range(100, 100 + len(worm))), worm.position_um, worm.position_um)
    found = match_stack(stack, view, {}, model, False)
    right = [np.array_equal(colour, worm.colour[identity - 100]) for identity, colour in found.items()]
    assert len(found) >= 33
    assert np.mean(right) > 0.85
