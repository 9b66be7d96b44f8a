"""``cender annotate``: the annotation and proofreading page."""

from pathlib import Path
from typing import Annotated

import typer


def annotate(
    worm: Annotated[Path, typer.Argument(metavar="WORM", help="Run folder.", show_default=False)],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: the first free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    host: Annotated[str, typer.Option(help="Address to listen on; others than this computer need --token.")] = (
        "127.0.0.1"
    ),
    token: Annotated[str | None, typer.Option(help="Secret that every request must carry.", show_default=False)] = None,
    volume: Annotated[
        int | None, typer.Option(min=0, help="Volume to open.", show_default="the first in doubt")
    ] = None,
    author: Annotated[
        str | None, typer.Option(help="Who is annotating, for the log.", show_default="your user name")
    ] = None,
    crops: Annotated[bool, typer.Option("--crops", help="First keep all head crops in the run folder.")] = False,
) -> None:
    """Annotate and proofread a run in the browser; every edit is on disk before it is acknowledged.

    The page works on this computer only, unless --host and --token let others in. Stop it with Ctrl-C.
    """
    from cender.cli.console import STDERR
    from cender.web.serve import serve_folder

    if crops:
        keep_all(worm)

    def show(actual: int) -> None:
        address = say_address(host, actual, token, volume)
        typer.echo(address)
        STDERR.print(_say_ssh(actual), soft_wrap=True, markup=False)
        if not no_browser:
            _open_browser(address)

    serve_folder(worm, host, port, token, author or _find_author(), show, volume)


def say_address(host: str, port: int, token: str | None, volume: int | None) -> str:
    """The address to open in a browser, also where the token has characters that mean something in addresses."""
    from urllib.parse import quote

    place = "localhost" if host in ("127.0.0.1", "::1", "0.0.0.0", "::") else f"[{host}]" if ":" in host else host  # noqa: S104
    query = f"?token={quote(token, safe='')}" if token else ""
    return f"http://{place}:{port}/{query}" + ("" if volume is None else f"#v={volume}")


def keep_all(worm: Path) -> None:
    """Keep the head crops of all volumes in the run folder, after saying what they take."""
    from cender.cli.console import STDERR, show_progress
    from cender.errors import DataError
    from cender.web.desk import Desk
    from cender.web.frames import estimate_crops, keep_crops

    desk = Desk.open(worm)
    recording, boxes = desk.frames.recording, desk.frames.boxes
    if recording is None:
        raise DataError(f"--crops needs the recording: {desk.frames.why}")
    size = estimate_crops(recording, boxes) / 1e6
    STDERR.print(f"head crops of {len(boxes)} volumes take at most {size:.0f} MB in {worm / 'crops.zarr'}")
    with show_progress() as bar:
        task = bar.add_task("keeping crops", total=len(boxes))
        keep_crops(worm, recording, boxes, desk.frames.channel_map, lambda _: bar.advance(task))


def _say_ssh(port: int) -> str:
    import socket

    there = socket.gethostname()
    return (
        f"on a remote computer, run this on your own one, then open the address: ssh -N -L {port}:localhost:{port} "
        f"{there}\nCtrl-C stops it; everything that was acknowledged is on disk"
    )


def _open_browser(address: str) -> None:
    """Open the browser a moment later, when the server answers."""
    import webbrowser
    from threading import Timer

    timer = Timer(0.5, webbrowser.open, (address,))
    timer.daemon = True
    timer.start()


def _find_author() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "me"
