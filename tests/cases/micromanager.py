"""Image stacks as Micro-Manager writes them, byte by byte after its description of the format."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

HEADER, INDEX = 40, 3453623
SHORT, LONG, ASCII = 3, 4, 2
Entry = tuple[int, int, int]


def write_mmstack(
    folder: Path,
    movie: np.ndarray,
    prefix: str = "worm_1",
    volumes_per_file: int | None = None,
    summary: dict[str, Any] | None = None,
    closed: bool = True,
    position: int = 0,
    images: int | None = None,
) -> list[Path]:
    """Write ``t c z y x`` into one or several files; the first images only where ``images`` says how many."""
    folder.mkdir(exist_ok=True)
    volumes, channels, slices, height, width = movie.shape
    said = {
        "MicroManagerVersion": "2.0.1 20220920", "MetadataVersion": 10, "Prefix": prefix, "Frames": volumes,
        "Channels": channels, "Slices": slices, "Positions": position + 1, "PixelType": "GRAY16", "Width": width,
        "Height": height, "PixelSize_um": 0.3, "z-step_um": -1.5, "Interval_ms": 0, "TimeFirst": True,
        "SlicesFirst": False, "ChNames": ["GCaMP6s", "mNeptune"][:channels], **(summary or {}),
    }  # fmt: skip
    places = [(c, z, t) for t in range(volumes) for z in range(slices) for c in range(channels)][:images]
    step = (volumes_per_file or volumes) * channels * slices
    paths = []
    for number, start in enumerate(range(0, len(places), step)):
        path = folder / f"{prefix}_MMStack_Pos{position}{f'_{number}' if number else ''}.ome.tif"
        path.write_bytes(_compose(movie, said, places[start : start + step], closed, position))
        paths.append(path)
    return paths


def _compose(movie: np.ndarray, summary: dict[str, Any], places: Sequence[Entry], closed: bool, position: int) -> bytes:
    text = json.dumps(summary).encode()
    first = HEADER + len(text)
    content = bytearray(struct.pack("<2sHI", b"II", 42, first) + bytes(HEADER - 8) + text)
    index = []
    for at, (c, z, t) in enumerate(places):
        index.append((c, z, t, position, len(content)))
        content += _compose_image(movie[t, c, z], (c, z, t), position, len(content), at == len(places) - 1)
    place = len(content)
    if closed:
        content += struct.pack("<II", INDEX, len(index)) + b"".join(struct.pack("<5I", *row) for row in index)
    struct.pack_into("<8I", content, 8, 54773648, place if closed else 0, 483765892, 0, 99384722, 0, 2355492, len(text))
    return bytes(content)


def _compose_image(image: np.ndarray, at: Entry, position: int, start: int, last: bool) -> bytes:
    """Thirteen tags, 162 bytes, then the pixels, then what the tags point to."""
    c, z, t = at
    said = {"ChannelIndex": c, "SliceIndex": z, "FrameIndex": t, "PositionIndex": position}
    text = json.dumps({**said, "ElapsedTime-ms": 40.0 + 250 * t + 3 * z, "Width": image.shape[1]}).encode() + b"\0"
    pixels = image.astype("<u2").tobytes()
    data = start + 162
    behind = data + len(pixels)
    tags = [
        (256, LONG, 1, image.shape[1]), (257, LONG, 1, image.shape[0]), (258, SHORT, 1, 16), (259, SHORT, 1, 1),
        (262, SHORT, 1, 1), (273, LONG, 1, data), (277, SHORT, 1, 1), (278, SHORT, 1, image.shape[0]),
        (279, LONG, 1, len(pixels)), (282, 5, 1, behind), (283, 5, 1, behind), (296, SHORT, 1, 3),
        (51123, ASCII, len(text), behind + 8),
    ]  # fmt: skip
    body = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
    size = 162 + len(pixels) + 8 + len(text)
    size += size % 2
    body += struct.pack("<I", 0 if last else start + size)
    return (body + pixels + struct.pack("<II", 33333, 1) + text).ljust(size, b"\0")
