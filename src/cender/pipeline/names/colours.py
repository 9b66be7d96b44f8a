"""NeuroPAL colours of a run's identities: from channels of the recording, from a colour stack, or from a table."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from jaxtyping import Float
from scipy.optimize import linear_sum_assignment

from cender.config import Config
from cender.errors import DataError
from cender.io import open_recording
from cender.io.cells import load_cells
from cender.io.recordings.formats.nwb_stack import find_colour_stack
from cender.io.recordings.formats.signatures import is_nwb
from cender.name.atlas import UNIT_UM
from cender.name.model import NamingModel, name_cells
from cender.name.sample import sample_colours
from cender.pipeline.names.views import View
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector
from cender.pipeline.volumes.volume import process_volume
from cender.types import Cells, Recording, Volume

Colours = dict[int, np.ndarray]
"""Channels in the order of `name.channels`, by identity."""
MATCH_UM = 6.0
"""How far a neuron of the recording and its partner in the colour stack usually lie apart; twice this is too far."""
TABLES = (".csv", ".csv.gz")


def read_channels(recording: Recording, views: Sequence[View], channels: Sequence[int]) -> Colours:
    """Colours from extra channels of the recording itself: the median over the volumes in which a neuron was seen."""
    _check_channels(recording, channels)
    voxel_um = recording.require("axes", "voxel size").scale
    found: dict[int, list[np.ndarray]] = {}
    for view in views:
        colour = _sample(recording.volume(view.volume).data, view.centre_px, voxel_um, channels)
        for identity, one in zip(view.identity, colour, strict=True):
            found.setdefault(identity, []).append(one)
    return {identity: np.median(seen, axis=0) for identity, seen in found.items()}


def read_stack(path: Path, config: Config) -> Cells:
    """The neurons of a colour stack: a table of them, or an image in which they are found by the detector.

    In an image `name.channels` says which channels are the colours, else the file where it can (NWB), else 0, 1, 2, 3;
    neurons are found in the last of them. Of an NWB file with several images the colour stack is taken.
    """
    if path.name.endswith(TABLES):
        stacks = load_cells([path])
        if len(stacks) != 1 or not stacks[0].colour.shape[1]:
            found = "no colours" if len(stacks) == 1 else f"{len(stacks)} animals"
            raise DataError(f"{path}: expected one animal with colour0, colour1 …; found {found}")
        return stacks[0]
    said = find_colour_stack(path) if is_nwb(path) else None
    dataset, told = said or (None, ())
    given = {"roles": None, "green": None, "dataset": config.recording.dataset or dataset}
    recording = open_recording(path, config.recording.model_copy(update=given))
    channels = config.name.channels or told or tuple(range(min(4, recording.shape[1])))
    _check_channels(recording, channels)
    voxel_um = recording.require("axes", "voxel size").scale
    data = recording.volume(0).data
    seen = Volume(0, 0.0, data[[channels[-1]]], voxel_um, ("red",))
    detector = build_detector(config.detect)
    outcome = process_volume(seen, load_compass(), detector, config.preprocess, config.merge)
    if outcome.neurons is None:
        raise DataError(f"{path}: no neurons were found in channel {channels[-1]}: {outcome.reason}")
    centre_px = outcome.neurons.centre_px
    colour = _sample(data, centre_px, voxel_um, channels)
    return Cells(centre_px * np.array(voxel_um), colour, ("",) * len(centre_px), path.name)


def read_identities(path: Path) -> list[int | None] | None:
    """The column ``identity`` of a table of colours, None where it has none."""
    if not path.name.endswith(TABLES):
        return None
    table = pl.read_csv(path, infer_schema_length=None)
    return table["identity"].to_list() if "identity" in table.columns else None


def match_stack(stack: Cells, view: View, fixed: dict[int, str], model: NamingModel, mirrored: bool | None) -> Colours:
    """Colours of a stack's neurons, given to the tracked neurons that lie where they lie and could be called alike."""
    tracked = Cells(view.position_um, np.zeros((len(view), 0)), tuple(fixed.get(one, "") for one in view.identity))
    there = name_cells(stack, model, mirrored)
    here = name_cells(tracked, model, there.mirrored)
    # Both lie in the frame of the atlas: near and alike in their names is the same neuron.
    apart_um = UNIT_UM * np.linalg.norm(here.sight.place[:, None] - there.sight.place[None], axis=2)
    alike = np.exp(np.minimum(here.posterior, 0)) @ np.exp(np.minimum(there.posterior, 0)).T
    pairs = zip(*linear_sum_assignment((apart_um / MATCH_UM) ** 2 - np.log(alike + 1e-3)), strict=True)
    return {view.identity[row]: stack.colour[column] for row, column in pairs if apart_um[row, column] < 2 * MATCH_UM}


def _sample(
    data: np.ndarray, centre_px: Float[np.ndarray, "n 3"], voxel_um: tuple[float, float, float], channels: Sequence[int]
) -> Float[np.ndarray, "n c"]:
    """Colours in the order of the channels; a channel of -1 was not recorded."""
    colour = np.full((len(centre_px), len(channels)), np.nan)
    there = [place for place, channel in enumerate(channels) if channel >= 0]
    colour[:, there] = sample_colours(data[[channels[place] for place in there]], centre_px, voxel_um)
    return colour


def _check_channels(recording: Recording, channels: Sequence[int]) -> None:
    count = recording.shape[1]
    wrong = [channel for channel in channels if channel >= count]
    if wrong or len(channels) < 2:
        what = f"channel {wrong[0]}" if wrong else f"{len(channels)} channel"
        raise DataError(
            f"{recording.source}: expected name.channels to list two or more of its {count} channels (from 0), found "
            f"{what}; in the order red, green, blue landmark colour, pan-neuronal, with -1 where one is missing"
        )
