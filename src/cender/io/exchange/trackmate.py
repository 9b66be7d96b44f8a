"""TrackMate XML: spots with their places in µm, tracks as the identities."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from defusedxml.ElementTree import parse

from cender.errors import DataError
from cender.io.atomic import write_text
from cender.io.exchange.bounds import check_rows, check_text_size
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings
from cender.io.exchange.points import gather_points
from cender.io.exchange.tracks import Nodes, list_nodes
from cender.io.recordings.formats.metadata import convert_um
from cender.types import Annotations
from cender.types.words import say_count

# A nucleus; TrackMate draws spots as spheres and asks for a size.
_RADIUS_UM = 1.5
_PIXELS = ("pixel", "pixels", "px", "")
"""Units that mean pixels."""


def load_trackmate(path: Path, around: Surroundings) -> Incoming:
    """Visible spots; a spot's identity is the number of its track, whose name is the cell's if a person gave it."""
    check_text_size(path)
    model = parse(path, forbid_dtd=True).getroot().find("Model")
    if model is None:
        raise DataError(f"{path}: expected TrackMate's XML with a Model, found none")
    spots = list(model.iterfind("AllSpots/SpotsInFrame/Spot"))
    check_rows(path, "AllSpots", len(spots))
    shown = [spot for spot in spots if spot.get("VISIBILITY", "1") != "0"]
    tracks, names = _read_tracks(model, path)
    centre = np.array([[_number(s, f"POSITION_{axis}", path) for axis in "ZYX"] for s in shown]).reshape(-1, 3)
    volume = np.array([int(_number(spot, "FRAME", path)) for spot in shown], np.int64)
    identity = np.array([tracks.get(spot.get("ID", ""), -1) for spot in shown], np.int64)
    factor = _find_scale(model.get("spatialunits", ""), around, path)
    volumes = gather_points(volume, centre * factor, identity, around, path)
    used = {int(number) for number in identity}
    left = ["features of spots and links (radius, quality, speed …)"]
    if len(shown) < len(spots):
        left.append(f"{len(spots) - len(shown)} spots that are not visible")
    given = {number: name for number, name in names.items() if number in used}
    return Incoming(Annotations(str(path), around.voxel_um, around.rate_hz, volumes, names=given), tuple(left))


def save_trackmate(out: Outgoing, path: Path) -> None:
    """Write spots, one track per identity, and the sizes of the images."""
    nodes = list_nodes(out)
    write_text(path, "\n".join(["<?xml version='1.0' encoding='UTF-8'?>", *_write_file(out, nodes), ""]))


def _write_file(out: Outgoing, nodes: Nodes) -> Iterator[str]:
    yield '<TrackMate version="7.11.1">'
    yield '  <Model spatialunits="micron" timeunits="sec">'
    yield "    <FeatureDeclarations>"
    yield "      <SpotFeatures>"
    for name, short, kind in (("QUALITY", "Quality", "QUALITY"), ("POSITION_X", "X", "POSITION"),
                              ("POSITION_Y", "Y", "POSITION"), ("POSITION_Z", "Z", "POSITION"),
                              ("POSITION_T", "T", "TIME"), ("FRAME", "Frame", "NONE"), ("RADIUS", "R", "LENGTH"),
                              ("VISIBILITY", "Visibility", "NONE")):  # fmt: skip
        whole = str(name in ("FRAME", "VISIBILITY")).lower()
        words = f'feature="{name}" name="{short}" shortname="{short}" dimension="{kind}" isint="{whole}"'
        yield f"        <Feature {words} />"
    yield "      </SpotFeatures>"
    yield "      <EdgeFeatures />"
    yield "      <TrackFeatures />"
    yield "    </FeatureDeclarations>"
    yield from _write_spots(out, nodes)
    yield from _write_tracks(out, nodes)
    yield "  </Model>"
    yield "  <Settings>"
    yield f"    {_write_images(out)}"
    yield '    <InitialSpotFilter feature="QUALITY" value="-1.0" isabove="true" />'
    yield "    <SpotFilterCollection />"
    yield "  </Settings>"
    yield "</TrackMate>"


def _write_spots(out: Outgoing, nodes: Nodes) -> Iterator[str]:
    yield f'    <AllSpots nspots="{len(nodes.volume)}">'
    for volume in np.unique(nodes.volume).tolist():
        yield f'      <SpotsInFrame frame="{volume}">'
        for row in np.flatnonzero(nodes.volume == volume).tolist():
            z, y, x = nodes.centre_um[row].tolist()
            time = out.known.time_s.get(volume, float(volume))
            name = out.known.names.get(int(nodes.identity[row]), f"ID{row}")
            yield (
                f'        <Spot ID="{row}" name={quoteattr(name)} QUALITY="{float(nodes.probability[row])!r}" '
                f'POSITION_X="{x!r}" POSITION_Y="{y!r}" POSITION_Z="{z!r}" POSITION_T="{time!r}" FRAME="{volume}" '
                f'RADIUS="{_RADIUS_UM}" VISIBILITY="1" />'
            )
        yield "      </SpotsInFrame>"
    yield "    </AllSpots>"


def _write_tracks(out: Outgoing, nodes: Nodes) -> Iterator[str]:
    owner = nodes.identity[nodes.edges[:, 0]] if len(nodes.edges) else np.zeros(0, int)
    numbers = np.unique(owner).tolist()
    yield "    <AllTracks>"
    for number in numbers:
        name = out.known.names.get(number, f"Track_{number}")
        yield f'      <Track name={quoteattr(name)} TRACK_ID="{number}" TRACK_INDEX="{number}">'
        for source, target in nodes.edges[owner == number].tolist():
            yield f'        <Edge SPOT_SOURCE_ID="{source}" SPOT_TARGET_ID="{target}" />'
        yield "      </Track>"
    yield "    </AllTracks>"
    yield "    <FilteredTracks>"
    yield from (f'      <TrackID TRACK_ID="{number}" />' for number in numbers)
    yield "    </FilteredTracks>"


def _write_images(out: Outgoing) -> str:
    t, _, z, y, x = out.around.shape or (0, 0, 0, 0, 0)
    z_um, y_um, x_um = out.around.require_voxel(f"{out.folder}: TrackMate lays spots over pixels")
    step_s = 1 / out.around.rate_hz if out.around.rate_hz else 1.0
    name = Path(out.known.provenance.get("source", "")).name
    return (
        f'<ImageData filename={quoteattr(name)} folder="" width="{x}" height="{y}" nslices="{z}" nframes="{t}" '
        f'pixelwidth="{x_um}" pixelheight="{y_um}" voxeldepth="{z_um}" timeinterval="{step_s}" />'
    )


def _read_tracks(model: Any, path: Path) -> tuple[dict[str, int], dict[int, str]]:
    """The track of every spot that is in one, and names that people gave to tracks; hidden tracks count as none."""
    kept = {one.get("TRACK_ID") for one in model.iterfind("FilteredTracks/TrackID")}
    tracks: dict[str, int] = {}
    names: dict[int, str] = {}
    for track in model.iterfind("AllTracks/Track"):
        word = track.get("TRACK_ID", "")
        if not word.isdigit() or len(word) > 9:
            raise DataError(f"{path}: expected a whole number as TRACK_ID, found {word[:20]!r}")
        if model.find("FilteredTracks") is not None and word not in kept:
            continue
        name = (track.get("name") or "").strip()
        if name and not name.startswith("Track_"):
            names[int(word)] = name
        for edge in track.iterfind("Edge"):
            for end in ("SPOT_SOURCE_ID", "SPOT_TARGET_ID"):
                tracks[edge.get(end, "")] = int(word)
    return tracks, names


def _number(spot: Any, name: str, path: Path) -> float:
    try:
        return float(spot.get(name))
    except (TypeError, ValueError):
        raise DataError(
            f"{path}, spot {str(spot.get('ID'))[:20]}: expected a number as {name}, found {str(spot.get(name))[:20]!r}"
        ) from None


def _find_scale(unit: str, around: Surroundings, path: Path) -> np.ndarray:
    if unit.strip().lower() in _PIXELS:
        return np.array(around.require_voxel(f"{path} counts in pixels"))
    factor = convert_um(1.0, unit)
    if not np.isfinite(factor):
        raise DataError(f"{path}: expected spatialunits of length or pixels, found {unit[:20]!r}")
    return np.full(3, factor)


def find_single(known: Annotations) -> tuple[str, ...]:
    """How many identities are seen once only and so have no link."""
    seen = Counter(int(number) for one in known.annotations.values() for number in one.identity if number >= 0)
    single = sum(count == 1 for count in seen.values())
    return (f"{say_count(single, 'identity')} seen in one volume only",) if single else ()


TRACKMATE = ExchangeFormat(
    name="trackmate",
    title="TrackMate's XML: spots and tracks",
    keeps=("centres", "identities", "names", "probabilities", "times"),
    recognize=lambda path: path.suffix.lower() == ".xml",
    load=load_trackmate,
    save=save_trackmate,
    written_as=(".xml",),
    finds_lost=find_single,
    note="probabilities and times are written (as quality and POSITION_T), not taken back; an identity that is seen "
    "once has no link and so no track",
)
