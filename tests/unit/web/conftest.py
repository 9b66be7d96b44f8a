"""A real server on a free port, in a thread, over a simulated run."""

import json
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from cases.runs import build_run
from cender.web.app import build_app
from cender.web.desk import Desk
from cender.web.guard import Rules
from cender.web.serve import bind_port


class Client:
    """Talks to the server as a browser would."""

    def __init__(self, port: int) -> None:
        self.port = port

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any, dict[str, str]]:
        """Status, content (parsed where it is JSON) and headers."""
        line = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
            given = {key.replace("_", "-"): value for key, value in headers.items()}
            line.request(method, path, data, {"Content-Type": "application/json"} | given)
            answer = line.getresponse()
            content, told = answer.read(), {key.lower(): value for key, value in answer.getheaders()}
        finally:
            line.close()
        is_json = content and "json" in told.get("content-type", "")
        return answer.status, json.loads(content) if is_json else content, told

    def get(self, path: str) -> Any:
        """What a path answers, if all is well."""
        status, content, _ = self.send("GET", path)
        assert status == 200, content
        return content


@pytest.fixture(scope="session")
def web_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run folder beside its recording; edits of tests are in it."""
    return build_run(tmp_path_factory.mktemp("web"), volumes=8).path


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., Client]]:
    """Begin a server over a folder; all end with the tests."""
    started: list[tuple[uvicorn.Server, threading.Thread]] = []

    def begin(folder: Path, token: str | None = None) -> Client:
        app = build_app(Desk.open(folder, "ana"), Rules.build("127.0.0.1", token))
        listening = bind_port("127.0.0.1", 0)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        started.append((server, thread))
        return Client(listening.getsockname()[1])

    yield begin
    for server, thread in started:
        server.should_exit = True
        thread.join(30)


@pytest.fixture(scope="session")
def client(web_run: Path, serve: Callable[..., Client]) -> Client:
    """A server over the small run folder."""
    return serve(web_run)
