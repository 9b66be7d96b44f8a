"""A server that listens until it is stopped."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import uvicorn

from cender.errors import ConfigError, DataError
from cender.web.app import build_app
from cender.web.desk import Desk
from cender.web.guard import Rules, is_loopback

FIRST_PORT = 8765
"""Port that is tried first; the next ones follow where it is taken."""


def check_reach(host: str, token: str | None) -> None:
    """Refuse to be reached by other computers without a token."""
    if not is_loopback(host) and not token:
        raise ConfigError(
            f"--host {host} lets other computers in: give a secret with --token too, or leave --host out and use ssh"
        )
    if token is not None and len(token) < 8:
        raise ConfigError("expected a --token of 8 characters or more, found fewer")


def bind_port(host: str, port: int) -> socket.socket:
    """A socket on this port, or where 0 is given on the first free one from 8765 on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (port,) if port else range(FIRST_PORT, FIRST_PORT + 100):
        server = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Without it an answer in two parts, head and content, waits 40 ms for the other side to confirm the first.
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            server.bind((host, candidate))
        except OSError:
            server.close()
            continue
        # From now on connections wait until the server answers them.
        server.listen(128)
        return server
    raise ConfigError(f"port {port or FIRST_PORT} of {host} cannot be used; give another one with --port")


def serve_folder(
    folder: Path,
    host: str,
    port: int,
    token: str | None,
    author: str,
    on_ready: Callable[[int], None],
    volume: int | None = None,
) -> None:
    """Serve the page of a run folder until the process is stopped; ``on_ready`` gets the port.

    ``volume`` is the one that is to be opened.

    Raises
    ------
    ConfigError
        The port is taken, or the host can be reached by others and there is no token.
    DataError
        The run has no such volume.
    """
    check_reach(host, token)
    desk = Desk.open(folder, author)
    if volume is not None and not desk.has_volume(volume):
        known = desk.tables.volumes["volume"]
        raise DataError(f"{folder} has no volume {volume}; its {len(known)} volumes are {known[0]} to {known[-1]}")
    app = build_app(desk, Rules.build(host, token))
    with bind_port(host, port) as listening:
        on_ready(int(listening.getsockname()[1]))
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listening])


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, Desk]]:
    """The server of a run folder on a free port of this computer, in a thread, while the block lasts."""
    desk = Desk.open(folder)
    app = build_app(desk, Rules.build("127.0.0.1", None))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1))
    with bind_port("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield int(listening.getsockname()[1]), desk
        finally:
            server.should_exit = True
            thread.join(60)
