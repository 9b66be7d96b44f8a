"""A real browser on a real server: what a person does, on a small run folder that is made once.

These tests run in a process of their own (``scripts/test`` sees to it), because playwright keeps an event loop going.
"""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

PATIENCE_MS = 120_000
ARTEFACTS = Path(__file__).parents[2] / "build" / "browser"
QUICK = {"steps": 12, "steps_each": 6, "self_steps": 4, "self_rounds": 1, "warped": 2, "alone_steps": 4, "threads": 1}
SMALL: dict[str, Any] = {
    "seed": 1401,
    "volumes": 6,
    "shape": (8, 200, 200),
    "voxel_um": (3.0, 0.75, 0.75),
    "anatomy": {"neurons": (60, 66)},
}


def find_chromium() -> str:
    """The browser that is installed."""
    names = (os.environ.get("CENDER_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found is None:
        pytest.fail("no chromium found; scripts/test installs it, or name one with CENDER_CHROMIUM")
    return found


@dataclass(slots=True)
class Server:
    """``cender annotate`` on a folder, as a process that can be killed and begun again on the same port."""

    folder: Path
    port: int = 0
    process: "subprocess.Popen[str] | None" = None
    words: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://localhost:{self.port}/"

    def begin(self) -> "Server":
        """Start, and wait until the address is printed."""
        command = [sys.executable, "-m", "cender", "annotate", str(self.folder), "--no-browser", "--author", "ana"]
        command += ["--port", str(self.port)] if self.port else []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        assert line.startswith("http://localhost:"), line
        self.port = int(line.split(":")[2].strip("/"))
        return self

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(60)
            if self.process.stdout is not None:
                self.process.stdout.close()

    def ask(self, path: str) -> Any:
        """What the server answers to a question."""
        with urllib.request.urlopen(self.address.rstrip("/") + path, timeout=120) as answer:  # noqa: S310
            content = answer.read().decode()
        return content if path.startswith("/api/export") else json.loads(content)


@dataclass(slots=True)
class Hand:
    """A person at the page."""

    page: Page

    def see(self, what: str) -> Any:
        """Something of what the page shows, as JavaScript over ``cender``."""
        return self.page.evaluate(f"() => {{ const cender = window.cender; return {what}; }}")

    def wait(self, what: str) -> None:
        """Wait until something is so."""
        self.page.wait_for_function(f"() => {{ const cender = window.cender; return {what}; }}")

    def settle(self) -> None:
        """Wait until everything that was done is acknowledged and shown again."""
        settled = "told.waiting === '0' && told.fresh === 'yes' && (told.busy ?? '0') === '0'"
        self.page.wait_for_function(f"() => {{ const told = document.body.dataset; return {settled}; }}")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def go(self, volume: int, frame: int | None = None) -> None:
        """Go to a volume, and to a frame of it."""
        self.page.evaluate("([v, z]) => window.cender.goTo(v, z)", [volume, frame])
        self.wait(f"cender.volume?.volume === {volume} && cender.stackOf({volume}) !== null")

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a pixel of the recording is on the screen."""
        px, py = self.page.evaluate("([x, y]) => window.cender.onScreen(x, y)", [x, y])
        edge = self.page.locator("#frame").bounding_box()
        assert edge is not None
        return edge["x"] + px, edge["y"] + py

    def drag(self, start: tuple[float, float], stop: tuple[float, float], shift: bool = False) -> None:
        """Press the mouse at one pixel, let go at another."""
        mouse, keyboard = self.page.mouse, self.page.keyboard
        if shift:
            keyboard.down("Shift")
        mouse.move(*self.point(*start))
        mouse.down()
        mouse.move(*self.point(*stop), steps=4)
        mouse.up()
        if shift:
            keyboard.up("Shift")

    def click(self, neuron: dict[str, Any]) -> None:
        """Click a neuron in the middle one of its frames."""
        z, x, y, w, h = neuron["boxes"][len(neuron["boxes"]) // 2]
        self.page.evaluate("z => window.cender.showFrame(z)", z)
        self.page.mouse.click(*self.point(x + (w - 1) / 2, y + (h - 1) / 2))

    def keep_picture(self, name: str) -> Path:
        """A screenshot among the artefacts."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")
        return ARTEFACTS / f"{name}.png"


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small recording that has been run, made once (CENDER_BROWSER_RUN names another); copied to work on it."""
    if given := os.environ.get("CENDER_BROWSER_RUN"):
        return Path(given)
    import cender
    from cender.simulate import SimulateParams

    home = tmp_path_factory.mktemp("browser")
    cender.save_recording(cender.simulate_recording(SimulateParams(**SMALL)).recording, home / "recording.npz", "npz")
    config = cender.load_config(sets=[f"train_recognizer.{name}={value}" for name, value in QUICK.items()])
    return cender.run(str(home / "recording.npz"), out=home / "worm", config=config).path


def serve_copy(run_folder: Path, folder: Path, port: int = 0) -> Generator[Server]:
    """The page of a copy of the run folder, until it is killed."""
    shutil.copytree(run_folder, folder)
    one = Server(folder, port).begin()
    try:
        yield one
    finally:
        one.kill()


@pytest.fixture
def server(run_folder: Path, tmp_path: Path) -> Iterator[Server]:
    """The page of a fresh copy of the run folder, for tests that need all of it as it was, or kill it."""
    yield from serve_copy(run_folder, tmp_path / "worm")


@pytest.fixture(scope="session")
def shared_server(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page of one copy for all tests that are content with neurons nobody else has touched."""
    yield from serve_copy(run_folder, tmp_path_factory.mktemp("shared") / "worm")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        one = playwright.chromium.launch(executable_path=find_chromium(), args=flags, timeout=PATIENCE_MS)
        yield one
        one.close()


@pytest.fixture
def sit_down(browser: Browser) -> Iterator[Callable[..., Hand]]:
    """A person opens the page in a browser of their own; it must have no error at all."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def sit(server: Server, author: str = "ana", width: int = 1280, **how: Any) -> Hand:
        size: Any = {"width": width, "height": 800 if width < 1600 else 1080}
        context = browser.new_context(viewport=size, accept_downloads=True, **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{server.address}?author={author}")
        page.wait_for_selector("body[data-ready=yes]")
        return Hand(page)

    yield sit
    for context in contexts:
        context.close()
    assert not errors
