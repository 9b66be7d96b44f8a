"""What a format says that it keeps comes back from a file of it, and what it says that it loses does not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cases.exchanged import VOLUMES, add_subject
from cender.io.exchange.doors import export_file, gather_annotations, gather_outgoing, import_file
from cender.io.exchange.format import THINGS, Surroundings, find_losses
from cender.io.exchange.formats import EXCHANGE_FORMATS, choose_format
from cender.io.results.annotations.log import EditLog
from cender.types import Annotation, Annotations

PLACES = {
    "nwb": "worm.nwb",
    "zephir": "annotations.h5",
    "napari": "napari.csv",
    "trackmate": "worm.xml",
    "geff": "worm.geff",
    "fdnc": "fdnc",
    "arrays": "points.npz",
    "regions": "regions.csv",
    "points": "points.csv",
    "truth": "truth",
}
# Written for others; the log of people's edits has no place for what a machine measures.
WRITTEN_ONLY = {
    "nwb": {"probabilities", "ratios", "intensities", "times"},
    "napari": {"probabilities"},
    "trackmate": {"probabilities", "times"},
    "geff": {"probabilities"},
    "arrays": {"probabilities"},
    "points": {"times"},
    "truth": {"times", "ratios"},
}


# Neurons that have no place in a format.
LEFT_OUT = {"zephir": {"2 neurons without an identity"}}


def describe(one: Annotation, thing: str, tolerance: int) -> object:
    """A thing of one volume in a form that does not depend on the order of neurons."""
    order = np.lexsort(one.centre_um.round(tolerance).T)
    if thing == "centres":
        return one.centre_um[order].round(tolerance).tolist()
    if thing == "identities":
        return sorted(number for number in one.identity.tolist() if number >= 0)
    if thing == "boxes":
        regions = one.regions
        rows = np.column_stack([regions.z, regions.box_px, one.identity[regions.neuron]]) if len(regions) else []
        return sorted(map(tuple, np.asarray(rows).round(tolerance).tolist()))
    raise ValueError(thing)


def compare(before: Annotations, after: Annotations, thing: str, format: str) -> bool:
    if thing == "names":
        return {k: v for k, v in before.names.items() if v} == {k: v for k, v in after.names.items() if v}
    if thing == "which volumes are complete":
        return {v: one.complete for v, one in before.annotations.items()} == {
            v: one.complete for v, one in after.annotations.items()
        }
    # ZephIR's places have 32 bits.
    tolerance = 3 if format == "zephir" else 6
    pairs = [(before.annotations[volume], after.annotations.get(volume)) for volume in range(VOLUMES)]
    if format == "zephir" and thing == "centres":
        pairs = [(keep_recognized(one), other) for one, other in pairs]
    return all(
        other is not None and describe(one, thing, tolerance) == describe(other, thing, tolerance)
        for one, other in pairs
    )


def keep_recognized(one: Annotation) -> Annotation:
    """Without neurons that have no identity, as the note of the format says."""
    keep = one.identity >= 0
    return replace(one, centre_um=one.centre_um[keep], identity=one.identity[keep], probability=one.probability[keep])


def test_every_format_that_goes_both_ways_is_tried() -> None:
    assert set(PLACES) == {one.name for one in EXCHANGE_FORMATS if one.load and one.save}


@pytest.mark.parametrize("format", PLACES)
def test_the_row_of_a_format_is_true(worm: Path, other: Path, tmp_path: Path, format: str) -> None:
    add_subject(worm)
    chosen = choose_format(Path(), format)
    path = tmp_path / PLACES[format]
    moved = export_file(worm, path, format)
    out = gather_outgoing(worm)
    assert moved.lost == find_losses(chosen, out)
    assert set(moved.lost) & set(THINGS) == {thing for thing in chosen.loses if THINGS[thing](out)}
    assert {words for words in moved.lost if words not in THINGS} == LEFT_OUT.get(format, set())
    import_file(other, path, "ben", format)
    before, after = gather_annotations(worm), gather_annotations(other, human_only=True)
    with EditLog(other) as log:
        heads = {volume: state.head.origin_yx for volume, state in log.states().items() if state.head is not None}
    there = {v: tuple(one.head.origin_yx.tolist()) for v, one in before.annotations.items() if one.head is not None}
    assert heads == (there if "heads" in chosen.keeps else {})
    for thing in set(chosen.keeps) - WRITTEN_ONLY.get(format, set()) - {"heads"}:
        assert compare(before, after, thing, format), f"{format} says that it keeps {thing}"
    for thing in {"boxes", "names"} & set(chosen.loses):
        assert not compare(before, after, thing, format), f"{format} says that it loses {thing}"
    for thing in WRITTEN_ONLY.get(format, set()):
        assert thing in chosen.keeps
    if chosen.load is not None and "probabilities" in chosen.keeps and format == "nwb":
        read = chosen.load(path, Surroundings(out.around.voxel_um, 5.0, out.around.shape)).known
        assert read.annotations[0].probability.tolist() == pytest.approx([0.5, 0.6, 0.7])
        assert read.time_s[1] == pytest.approx(0.3)
