"""A simulated recording: volumes drawn when they are read, and the truth about each."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from cender.simulate.params import SimulateParams
from cender.simulate.rendering import render_volume
from cender.simulate.storage import stored_type
from cender.simulate.truth import annotate_volume, find_others_um
from cender.simulate.world import World, make_world
from cender.types import Annotation, Annotations, Recording, VoxelSize


@dataclass(frozen=True, slots=True)
class Simulation:
    """A recording that is drawn as it is read, with its truth; nothing of it is kept in memory."""

    recording: Recording
    world: World

    def annotate(self, volume: int) -> Annotation:
        """Boxes, neurons, identities and head of one volume."""
        return annotate_volume(self.world, volume)

    def others_um(self, volume: int) -> Float[np.ndarray, "n 3"]:
        """Centres of another animal's nuclei in view, which no annotation holds."""
        return find_others_um(self.world, volume)

    def ratios(self, volume: int) -> dict[int, float]:
        """True ratio of every neuron in one volume, by identity."""
        world = self.world
        values = world.light.ratio[volume]
        return {int(identity): float(value) for identity, value in zip(world.animal.identity, values, strict=True)}

    def events(self, volume: int) -> tuple[str, ...]:
        """What makes this volume hard: deep bend, omega turn, twist, defocus."""
        rate = self.world.params.rate_hz
        found: tuple[str, ...] = self.world.motion.events_at(volume / rate, (volume + 1) / rate)
        return (*found, "defocus") if self.world.blur_um[volume] > 0.3 else found

    def truth(self, volumes: range | None = None) -> Annotations:
        """The truth of these volumes (all of them by default) in memory."""
        params = self.world.params
        wanted = range(params.volumes) if volumes is None else volumes
        annotations = {volume: self.annotate(volume) for volume in wanted}
        ratio = {
            (identity, volume): value
            for volume in wanted
            for identity, value in self.ratios(volume).items()
            if identity in annotations[volume].identity
        }
        time_s = {volume: self.recording.time_s(volume) for volume in wanted}
        return Annotations(
            self.recording.source,
            VoxelSize(*params.voxel_um),
            params.rate_hz,
            annotations,
            ratio,
            time_s=time_s,
            provenance=self.provenance,
        )

    @property
    def provenance(self) -> dict[str, str]:
        """Preset, hash, seed and the map from the red to the green camera, as text."""
        params = self.world.params
        return {
            "simulator": "cender",
            "preset": params.preset,
            "preset_hash": params.hash,
            "seed": str(params.seed),
            "side_to_objective": "left" if self.world.motion.side < 0 else "right",
            "red_to_green_yx": " ".join(f"{value:.6g}" for value in self.world.green_map.ravel()),
        }


def simulate_recording(params: SimulateParams | None = None) -> Simulation:
    """A simulated recording of one animal, the same for the same parameters.

    Parameters
    ----------
    params
        All knobs; by default 50 volumes of the preset ``typical``.
    """
    params = params or SimulateParams()
    world = make_world(params)
    frames, rows, columns = params.shape
    # Mid-volume is the middle of the exposed frames, before the scanner flies back.
    middle = frames / 2 * world.motion.step_s
    recording = Recording(
        source=f"simulated {params.preset} {params.hash} seed {params.seed}",
        format="simulated",
        shape=(params.volumes, 2, frames, rows, columns),
        dtype=stored_type(params.storage),
        read=lambda volume, channels: render_volume(world, volume, channels),
        voxel_um=VoxelSize(*params.voxel_um),
        rate_hz=params.rate_hz,
        times_s=np.arange(params.volumes) / params.rate_hz + middle,
        roles=("red", "green"),
    )
    return Simulation(recording, world)
