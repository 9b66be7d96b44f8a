"""The server: one run folder, its pictures, its neurons, and the log of what people do."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread, Timer
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.types import ASGIApp

import cender
from cender.errors import CenderError, DataError, EditError
from cender.web.desk import Desk
from cender.web.guard import Guard, Rules
from cender.web.identify import Identifier
from cender.web.learning import Learning
from cender.web.pages import load_pages
from cender.web.routes.company import add_company_routes
from cender.web.routes.edits import add_edit_routes
from cender.web.routes.volumes import add_recording_routes, add_volume_routes

WARM_S = 3.0
"""When the recognizer is loaded after the server has started."""


def build_app(desk: Desk, rules: Rules) -> ASGIApp:
    """The application for one opened run folder, behind its guard."""
    app = FastAPI(
        title="cender annotate",
        version=cender.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.desk = desk
    identifier = Identifier(desk, lambda volumes, left: desk.hub.tell("identified", volumes=volumes, left=left))
    app.state.identifier = identifier
    learning = Learning(desk.run.path, desk.hub.tell, lambda: finish_learning(desk, identifier))
    app.state.learning = learning
    add_volume_routes(app, desk)
    add_recording_routes(app, desk)
    add_edit_routes(app, desk, identifier)
    add_company_routes(app, desk, learning)
    _add_pages(app)
    app.add_exception_handler(RequestValidationError, lambda request, error: _refuse(error))
    app.add_exception_handler(EditError, lambda request, error: _answer(409, error))
    app.add_exception_handler(DataError, lambda request, error: _answer(404, error))
    app.add_exception_handler(CenderError, lambda request, error: _answer(400, error))
    return Guard(app, rules)


def finish_learning(desk: Desk, identifier: Identifier) -> None:
    """Read what a run has made, tell every page to load its volume again, and ask what the new recognizer doubts."""
    desk.reload()
    desk.hub.tell("results", generation=desk.generation)
    Thread(target=identifier.question_all, name="question", daemon=True).start()


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    # A moment later, so that the page opens first.
    warming = Timer(WARM_S, app.state.identifier.question_all)
    warming.daemon = True
    warming.start()
    yield
    warming.cancel()
    app.state.learning.cancel()
    app.state.desk.log.close()


def _add_pages(app: FastAPI) -> None:
    pages = load_pages()

    @app.get("/", include_in_schema=False)
    def show_page() -> Response:
        content, kind = pages["index.html"]
        return Response(content, media_type=kind)

    @app.get("/static/{name}", include_in_schema=False)
    def send_file(name: str) -> Response:
        if name not in pages:
            return JSONResponse({"detail": "there is no such file"}, 404)
        content, kind = pages[name]
        return Response(content, media_type=kind)


def _refuse(error: Any) -> Response:
    """Say what is wrong with a message, without what was sent: it may be no JSON (NaN), or large."""
    wrong = [{"where": [str(word) for word in one["loc"]], "what": one["msg"]} for one in error.errors()]
    return JSONResponse({"detail": wrong[:20]}, 422)


def _answer(status: int, error: Any) -> Response:
    return JSONResponse({"detail": str(error)}, status)
