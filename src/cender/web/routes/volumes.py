"""Looking: the run, its volumes, pictures, traces, what is worth a look, and what other volumes say."""

from typing import Annotated, Any, Literal

from fastapi import FastAPI, Path, Query
from fastapi.responses import JSONResponse, Response, StreamingResponse

from cender.errors import DataError
from cender.web.carry import carry_identities
from cender.web.desk import Desk
from cender.web.queue import list_queue
from cender.web.window import describe_windows, show_8bit, show_16bit

Number = Annotated[int, Path(ge=0, le=2**31)]
Source = Annotated[int, Query(ge=0, le=2**31)]


def require_volume(desk: Desk, volume: int) -> int:
    """The volume, or a message that the run does not cover it."""
    if not desk.has_volume(volume):
        raise DataError(f"volume {volume} is not part of this run")
    return volume


def add_volume_routes(app: FastAPI, desk: Desk) -> None:
    """Add all that shows volumes."""

    @app.get("/api/run")
    def describe_run() -> Response:
        return JSONResponse(desk.describe_run())

    @app.get("/api/volumes/{volume}")
    def describe_volume(volume: Number) -> Response:
        # Plain numbers and text: looking at each of them once more would take longer than finding them.
        return JSONResponse(desk.describe_volume(require_volume(desk, volume)))

    @app.get("/api/volumes/{volume}/frames/{depth}")
    def send_frames(volume: Number, depth: Literal["8", "16"]) -> Response:
        return _pack_frames(desk, require_volume(desk, volume), depth)

    @app.get("/api/volumes/{volume}/expected")
    def find_expected(volume: Number, source: Source) -> dict[str, Any]:
        here, there = (desk.describe_volume(require_volume(desk, one))["neurons"] for one in (volume, source))
        carried = carry_identities(there, here)
        return {"expected": [{"identity": key, "centre_um": place} for key, place in carried.expected_um.items()]}

    @app.get("/api/volumes/{volume}/reference")
    def choose_reference(volume: Number) -> dict[str, Any]:
        return {"volume": desk.find_reference(require_volume(desk, volume))}


def add_recording_routes(app: FastAPI, desk: Desk) -> None:
    """Add all that shows the whole recording."""

    @app.get("/api/windows")
    def describe_brightness() -> dict[str, list[float]]:
        return describe_windows(desk.frames.windows())

    @app.get("/api/identities")
    def list_identities() -> Response:
        return JSONResponse(desk.list_identities())

    @app.get("/api/identities/{identity}/trace")
    def describe_trace(identity: Number) -> Response:
        return JSONResponse(desk.describe_trace(identity))

    @app.get("/api/identities/{identity}/spots")
    def list_spots(identity: Number, first: Source = 0, stop: Source = 2**31) -> dict[str, Any]:
        return {"spots": desk.list_spots(identity, first, stop)}

    @app.get("/api/queue")
    def show_queue() -> dict[str, Any]:
        return list_queue(desk)

    @app.get("/api/events", include_in_schema=False)
    async def send_events() -> Response:
        if desk.hub.full:
            return JSONResponse({"detail": "too many pages are open; close some"}, 429)
        return StreamingResponse(desk.hub.listen(), media_type="text/event-stream")


def _pack_frames(desk: Desk, volume: int, depth: str) -> Response:
    picture, windows = desk.frames.load(volume), desk.frames.windows()
    stacks = [
        show_8bit(stack, windows[role]) if depth == "8" else show_16bit(stack) for role, stack in picture.stacks.items()
    ]
    headers = {
        "X-Cender-Shape": ",".join(map(str, (len(stacks), *stacks[0].shape))),
        "X-Cender-Crop": ",".join(map(str, picture.crop)),
        "Cache-Control": "private, max-age=600",
    }
    content = b"".join(one.tobytes() for one in stacks)
    return Response(content, media_type="application/octet-stream", headers=headers)
