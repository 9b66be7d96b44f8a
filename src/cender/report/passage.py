"""One neuron to be shown through the recording: the one whose trace varies most."""

import numpy as np
from jaxtyping import Float, Shaped

from cender.io.recordings.reach import reach_recording
from cender.plots.report.passage import Passage, choose_visits
from cender.report.channels import read_channels
from cender.report.digest import Digest
from cender.report.folder import RunFacts
from cender.report.samples import find_pixel_um
from cender.report.traces import Shown

VISITS = 10
"""Volumes, from all over the recording, in which the neuron is shown."""
REACH_UM, REACH_PX = 5.0, 16
"""Half the side of what is shown around the neuron; the second where the pixel size is not known."""


def gather_passage(facts: RunFacts, digest: Digest, shown: Shown, row: int) -> Passage | None:
    """Patches of one identity from volumes all over the recording; None where fewer than two can be read."""
    neurons, traces = facts.neurons, shown.traces
    recording, _ = reach_recording(facts.settings, facts.run.path)
    if neurons is None or recording is None:
        return None
    identity = int(traces.identity[row])
    mine = np.flatnonzero(neurons.identity == identity)
    mine = mine[np.argsort(neurons.volume[mine], kind="stable")]
    place = dict(zip(neurons.volume[mine].tolist(), neurons.centre_px[mine], strict=True))
    timed = np.isfinite(traces.time_s).all()
    clock = traces.time_s if timed else traces.volume.astype(float)
    when = dict(zip(traces.volume.tolist(), clock.tolist(), strict=True))
    pixel_um = find_pixel_um(facts.settings)
    reach = REACH_PX if pixel_um is None else max(4, round(REACH_UM / pixel_um))
    times, red, green = [], [], []
    for volume in choose_visits([volume for volume in place if volume in when], VISITS):
        seen = read_channels(recording, volume, facts.settings)
        if seen.red is None:
            continue
        times.append(when[volume])
        red.append(cut_patch(seen.red, place[volume], reach))
        green.append(None if seen.green is None else cut_patch(seen.green, place[volume], reach))
    if len(times) < 2:
        return None
    both = [patch for patch in green if patch is not None]
    return Passage(
        f"{facts.name(identity)} through the recording",
        digest.clock_label,
        np.array(times),
        np.stack(red),
        np.stack(both) if len(both) == len(red) else None,
        pixel_um,
        clock,
        traces.dr_r0[row],
        shown.label,
    )


def cut_patch(
    image: Shaped[np.ndarray, "z y x"], centre_px: Float[np.ndarray, " 3"], reach: int
) -> Float[np.ndarray, "s s"]:
    """A square around a neuron in its middle frame; NaN outside of the picture."""
    z, y, x = np.rint(centre_px).astype(int).tolist()
    frame = image[min(max(z, 0), len(image) - 1)]
    patch = np.full((2 * reach + 1, 2 * reach + 1), np.nan)
    top, left = y - reach, x - reach
    rows = slice(max(top, 0), max(min(y + reach + 1, frame.shape[0]), 0))
    columns = slice(max(left, 0), max(min(x + reach + 1, frame.shape[1]), 0))
    part = frame[rows, columns]
    patch[
        rows.start - top : rows.start - top + part.shape[0], columns.start - left : columns.start - left + part.shape[1]
    ] = part
    return patch
