"""Not being alone: where others are, and a machine that learns in the background."""

from typing import Any

from fastapi import FastAPI

from cender.web.desk import Desk
from cender.web.learning import Learning
from cender.web.messages import CursorMessage


def add_company_routes(app: FastAPI, desk: Desk, learning: Learning) -> None:
    """Add cursors and learning."""

    @app.post("/api/cursor", status_code=204)
    def move_cursor(message: CursorMessage) -> None:
        desk.hub.tell("cursor", **message.model_dump())

    @app.get("/api/learning")
    def show_learning() -> dict[str, Any]:
        return learning.describe()

    @app.post("/api/learning")
    def start_learning() -> dict[str, Any]:
        learning.start()
        return learning.describe()

    @app.delete("/api/learning")
    def stop_learning() -> dict[str, Any]:
        learning.cancel()
        return learning.describe()
