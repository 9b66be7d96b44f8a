"""``cender info``: what was read of a recording, and what its file does not say."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cender.cli.options import ConfigFile, Json, Sets

if TYPE_CHECKING:
    from cender.io.recordings.inspect.look import Inspection
    from cender.types import Recording


def info(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="File or folder.", show_default=False)],
    as_json: Json = False,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw what was read (red and green from above, z-profile) as PNG."),
    ] = None,
    config_file: ConfigFile = None,
    sets: Sets = None,
) -> None:
    """Show what was read of RECORDING, what its file does not say, and what looks wrong.

    A few volumes are looked at, never the whole file.
    """
    from cender.cli.console import STDERR, print_json
    from cender.config import load_config
    from cender.io import inspect_recording, open_recording

    opened = open_recording(recording, load_config(config_file, sets or []).recording)
    look = inspect_recording(opened)
    facts = collect_facts(opened, look, _measure_disk(recording))
    if picture is not None:
        _draw(opened, look, picture)
        STDERR.print(f"picture: {picture}", soft_wrap=True, markup=False)
    if as_json:
        print_json(facts)
    else:
        _print_table(facts)


def collect_facts(recording: "Recording", look: "Inspection", disk_bytes: int) -> dict[str, Any]:
    """All that is known of a recording, ready for JSON; what is not known is null."""
    voxel, times = recording.voxel_um, recording.times_s
    duration_s = len(recording) / recording.rate_hz if recording.rate_hz else None
    if times is not None and len(times) > 1:
        duration_s = float(times[-1] - times[0]) * len(times) / (len(times) - 1)
    channels = [
        {
            "role": recording.roles[index] if recording.roles is not None else None,
            "lowest": _finite(one.lowest),
            "median": _finite(one.median),
            "highest": _finite(one.highest),
            "saturated": one.saturated,
            "blank": one.blank,
        }
        for index, one in enumerate(look.channels)
    ]
    return {
        "source": recording.source,
        "format": recording.format,
        "axes": "TCZYX",
        "file_axes": getattr(recording.read, "axes", None),
        "shape": list(recording.shape),
        "dtype": recording.dtype.name,
        "voxel_um": None if voxel is None else list(voxel),
        "rate_hz": recording.rate_hz,
        "timestamps": times is not None,
        "duration_s": duration_s,
        "disk_bytes": disk_bytes,
        "volume_bytes": recording.volume_bytes,
        "channels": channels,
        "looked_at": list(look.volumes),
        "missing": [{"what": m.what, "setting": m.setting, "assumed": m.assumed} for m in recording.missing],
        "warnings": [*recording.warnings, *look.warnings],
    }


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _print_table(facts: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from cender.cli.console import STDOUT

    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _describe(facts):
        table.add_row(name, escape(value))
    for item in facts["missing"]:
        assumed = f" (assumed now: {item['assumed']})" if item["assumed"] else ""
        told = f"the file does not say the {item['what']}{assumed}; give --set {item['setting']}"
        table.add_row("[yellow]missing[/]", escape(told))
    for warning in facts["warnings"]:
        table.add_row("[yellow]warning[/]", escape(warning))
    if not facts["missing"] and not facts["warnings"]:
        table.add_row("[green]complete[/]", "nothing is missing and nothing looks wrong")
    STDOUT.print(table)


def _describe(facts: dict[str, Any]) -> list[tuple[str, str]]:
    from cender.types.words import say_count

    t, c, z, y, x = facts["shape"]
    counts = [say_count(t, "volume"), say_count(c, "channel"), say_count(z, "frame")]
    voxel, rate, duration = facts["voxel_um"], facts["rate_hz"], facts["duration_s"]
    rows = [
        ("recording", facts["source"]),
        ("format", facts["format"] + (f", axes {facts['file_axes']}" if facts["file_axes"] else "")),
        ("shape", f"{' × '.join(counts)} × {y} × {x} px (t c z y x), {facts['dtype']}"),
        ("voxel size", "not known" if voxel is None else " × ".join(f"{side:g}" for side in voxel) + " µm (z y x)"),
        ("rate", "not known" if rate is None else f"{rate:.4g} volumes per second{_say_stamps(facts)}"),
        ("duration", "not known" if duration is None else _say_time(duration)),
        ("on disk", f"{_say_bytes(facts['disk_bytes'])}; one volume in memory {_say_bytes(facts['volume_bytes'])}"),
    ]
    for number, one in enumerate(facts["channels"]):
        values = f"values {one['lowest']} to {one['highest']}, median {one['median']}"
        rows.append((f"channel {number}", f"{one['role'] or 'role not known'}: {values}"))
    return rows


def _say_stamps(facts: dict[str, Any]) -> str:
    return ", with a time stamp for each" if facts["timestamps"] else ""


def _say_time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def _say_bytes(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


def _measure_disk(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _draw(recording: "Recording", look: "Inspection", path: Path) -> None:
    from cender.errors import DataError
    from cender.plots.recording import save_recording_picture

    notes = [f"assumed: {m.what} = {m.assumed}  ({m.setting})" for m in recording.missing if m.assumed]
    notes += [f"not known: {m.what}  ({m.setting})" for m in recording.missing if not m.assumed]
    try:
        save_recording_picture(recording, path, [*notes, *recording.warnings, *look.warnings])
    except (OSError, ValueError) as error:
        raise DataError(f"the picture {path} cannot be written: {error}") from error
