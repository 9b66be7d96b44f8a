"""Working: edits, undo and redo, identities carried over, and what was done in words."""

from typing import Annotated, Any

from fastapi import FastAPI, Path, Query
from fastapi.responses import JSONResponse, Response

from cender.annotate.apply import list_volumes
from cender.annotate.edits import Assign, Batch, Edit, NameIdentity, Propagate
from cender.annotate.marks import Spot
from cender.errors import DataError, EditError
from cender.io.exchange.doors import gather_annotations
from cender.io.exchange.points import format_points
from cender.io.results.annotations.log import Conflict
from cender.io.results.folder.names import check_names
from cender.web.carry import carry_identities
from cender.web.desk import Desk
from cender.web.identify import Identifier
from cender.web.messages import CopyMessage, EditMessage, TurnMessage
from cender.web.routes.volumes import require_volume

MOST_WORDS = 200
"""Edits that the history shows."""


def add_edit_routes(app: FastAPI, desk: Desk, identifier: Identifier) -> None:
    """Add all that changes what people say; an edit is on disk before it is acknowledged."""

    @app.post("/api/edits")
    def make_edit(message: EditMessage) -> Response:
        for volume in list_volumes(message.edit):
            require_volume(desk, volume)
        check_new_names(desk, message.edit)
        done = desk.log.append(message.author, message.edit, message.base_revision, message.ticket)
        return _acknowledge(desk, identifier, done)

    @app.post("/api/undo")
    def undo_edit(message: TurnMessage) -> Response:
        return _acknowledge(desk, identifier, desk.log.undo(message.author, message.ticket))

    @app.post("/api/redo")
    def redo_edit(message: TurnMessage) -> Response:
        return _acknowledge(desk, identifier, desk.log.redo(message.author, message.ticket))

    @app.post("/api/copies")
    def copy_identities(message: CopyMessage) -> Response:
        for volume in (message.source, message.volume):
            require_volume(desk, volume)
        edit = propose_copy(desk, message.source, message.volume)
        if edit is None:
            return JSONResponse({"revision": desk.log.revision, "nothing": True})
        return _acknowledge(desk, identifier, desk.log.append(message.author, edit, None, message.ticket))

    @app.get("/api/log")
    def show_log(author: Annotated[str, Query(min_length=1, max_length=60)]) -> dict[str, Any]:
        newest = max(desk.log.revision - MOST_WORDS, 0)
        undo, redo = desk.log.history(author)
        entries = [{**one.model_dump(mode="json"), "volumes": list(one.volumes[:1])} for one in desk.log.since(newest)]
        return {"entries": entries, "undo": undo[:MOST_WORDS], "redo": redo[:MOST_WORDS]}

    @app.get("/api/edits/{revision}")
    def show_edit(revision: Annotated[int, Path(ge=1, le=2**53)]) -> Response:
        try:
            return Response(desk.log.edit(revision).model_dump_json(), media_type="application/json")
        except KeyError:
            return JSONResponse({"detail": "there is no such edit"}, 404)

    @app.get("/api/export")
    def export_points() -> Response:
        name = {"Content-Disposition": 'attachment; filename="points.csv"'}
        return Response(format_points(gather_annotations(desk.run.path)), media_type="text/csv", headers=name)


def check_new_names(desk: Desk, edit: Edit) -> None:
    """Refuse a name that another identity has, or that would be taken for a column of the traces."""
    parts = edit.edits if isinstance(edit, Batch | Propagate) else (edit,)
    given = {one.identity: one.name.strip() for one in parts if isinstance(one, NameIdentity)}
    if not any(given.values()):
        return
    names = {identity: name for identity, name in (desk.run.read_names() | given).items() if name}
    try:
        check_names(names, desk.run.path.name)
    except DataError as error:
        raise EditError(str(error)) from None


def propose_copy(desk: Desk, source: int, volume: int) -> Propagate | None:
    """The edit that gives the neurons of a volume the identities of another; None where that changes nothing."""
    there, here = (desk.describe_volume(one)["neurons"] for one in (source, volume))
    names = carry_identities(there, here).names
    edits = [
        Assign(spots=(Spot(volume=volume, key=one["key"], place_um=one["anchor_um"]),), identity=names[one["key"]])
        for one in here
        if one["key"] in names
    ]
    return Propagate(source=source, volume=volume, edits=tuple(edits)) if edits else None


def _acknowledge(desk: Desk, identifier: Identifier, done: int | Conflict | None) -> Response:
    """Say that an edit is on disk, to the person who made it and to everybody else; or show the conflict."""
    if done is None:
        return JSONResponse({"revision": desk.log.revision, "nothing": True})
    if isinstance(done, Conflict):
        theirs = desk.log.edit(done.revision).model_dump(mode="json")
        return JSONResponse({"detail": done.words, "conflict": done.model_dump(mode="json"), "theirs": theirs}, 409)
    for entry in desk.log.since(done - 1, 1):
        identifier.look_again(entry.volumes)
        desk.hub.tell("edit", **{**entry.model_dump(mode="json"), "volumes": list(entry.volumes[:200])})
    return JSONResponse({"revision": done})
