"""``cender simulate``: a recording and its complete truth."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cender.cli.options import ConfigFile, Sets


def simulate(
    out: Annotated[Path, typer.Argument(help="Folder to make: the recording, and truth/ beside it.", show_default=False)],
    preset: Annotated[str | None, typer.Option(help="easy, typical or hard.", show_default="typical")] = None,
    seed: Annotated[int | None, typer.Option(help="A new animal and path for every seed.", show_default="0")] = None,
    volumes: Annotated[int | None, typer.Option(help="How many volumes.", show_default="50")] = None,
    format: Annotated[str, typer.Option(help="File format of the recording; `all` lists them.")] = "ome-tiff",
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw the first volumes as PNG.")] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
) -> None:
    """Simulate a recording of a moving head, with the complete truth about it.

    OUT/recording.* holds red and green volumes, OUT/truth boxes, centres, identities, heads, ratios and events.
    """
    from cender.cli.console import STDERR, show_progress
    from cender.config import load_config
    from cender.errors import DataError
    from cender.io import FORMATS, save_recording, save_simulated_truth
    from cender.simulate import simulate_recording

    chosen = {form.name: form for form in FORMATS if form.save is not None}
    if format not in chosen:
        raise DataError(f"unknown recording format {format!r}; there are {', '.join(chosen)}")
    if out.exists() and any(out.iterdir()):
        raise DataError(f"{out} exists and is not empty; name a new folder, or remove this one first")
    given: dict[str, Any] = {"preset": preset, "seed": seed, "volumes": volumes}
    words = [f"simulate.{key}={value}" for key, value in given.items() if value is not None]
    params = load_config(config_file, [*(sets or []), *words]).simulate
    simulation = simulate_recording(params)
    size_gb = len(simulation.recording) * simulation.recording.volume_bytes / 1e9
    STDERR.print(f"{simulation.recording.source}: {params.volumes} volumes, about {size_gb:.2f} GB")
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"recording{chosen[format].suffix}"
    with show_progress() as bar:
        task = bar.add_task("drawing volumes", total=params.volumes)
        save_recording(simulation.recording, path, format, on_volume=lambda _: bar.advance(task))
        task = bar.add_task("writing truth", total=params.volumes)
        save_simulated_truth(simulation, out / "truth", on_volume=lambda _: bar.advance(task))
    if picture is not None:
        from cender.plots.recording import save_recording_picture

        save_recording_picture(simulation.recording, picture)
    typer.echo(f"{path}\n{out / 'truth'}")
