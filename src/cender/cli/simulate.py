"""``cender simulate``: a recording and its complete truth."""

from pathlib import Path
from typing import Annotated

import typer

from cender.cli.options import ConfigFile, Sets


def simulate(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to make.", show_default=False)],
    preset: Annotated[str | None, typer.Option(help="easy, typical, hard or crowded.", show_default="typical")] = None,
    seed: Annotated[int | None, typer.Option(help="A new animal and path for every seed.", show_default="0")] = None,
    volumes: Annotated[int | None, typer.Option(help="How many volumes.", show_default="50")] = None,
    format: Annotated[
        str,
        typer.Option(help="ome-zarr, ome-tiff, tiff-folder, tiff-slices, matlab, hdf5, npy, npz or raw."),
    ] = "ome-tiff",
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw what was made, as PNG.")] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
) -> None:
    """Simulate a recording of a moving head, with the complete truth about it.

    OUT/recording.* holds red and green volumes; OUT/truth boxes, centres, identities, heads, ratios, events.
    A file of settings comes first, then the options here, then --set.
    """
    from cender.cli.console import STDERR, show_progress
    from cender.config import load_config
    from cender.pipeline.learn.simulated import save_simulation
    from cender.simulate import simulate_recording

    given = {"preset": preset, "seed": seed, "volumes": volumes}
    words = [f"simulate.{key}={value}" for key, value in given.items() if value is not None]
    params = load_config(config_file, [*words, *(sets or [])]).simulate
    simulation = simulate_recording(params)
    size_gb = len(simulation.recording) * simulation.recording.volume_bytes / 1e9
    STDERR.print(f"{simulation.recording.source}: {params.volumes} volumes, {size_gb:.2f} GB uncompressed")
    with show_progress() as bar:
        task = bar.add_task("drawing volumes", total=params.volumes)
        saved = save_simulation(simulation, out, format, on_volume=lambda _: bar.advance(task))
    typer.echo("\n".join(str(path) for path in (*saved.recordings, saved.truth)))
    if picture is not None:
        from cender.plots.simulator import draw_simulation
        from cender.plots.style import save_figure

        truth = simulation.truth(range(min(params.volumes, 100)))
        save_figure(draw_simulation(simulation.recording.volume(0), truth), picture)
        typer.echo(picture)
