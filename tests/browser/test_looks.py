"""How the page looks, at the widths of a laptop and of a desk: pictures are kept in build/browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import Hand, Server, serve_copy

Sit = Callable[..., Hand]
PANELS = ("#queue", "#identities", "#log", "#frame", "#strip", "#reference", "#projections", "#space", "#trace")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (1920, "light")])
def test_everything_is_on_the_screen(shared_server: Server, sit_down: Sit, width: int, scheme: str) -> None:
    hand = sit_down(shared_server, width=width, color_scheme=scheme)
    hand.go(2)
    chosen = hand.see("cender.volume.neurons.filter(one => one.identity >= 0 && one.boxes.length > 1)")[0]
    hand.page.evaluate("key => window.cender.select(key)", chosen["key"])
    hand.press(*"900", "Enter")
    hand.settle()
    hand.page.evaluate("key => window.cender.select(key)", chosen["key"])
    hand.wait("cender.trace !== null && cender.reference !== null && cender.stackOf(cender.reference.volume) !== null")
    hand.settle()
    size: Any = hand.page.viewport_size
    for panel in PANELS:
        box = hand.page.locator(panel).bounding_box()
        assert box is not None
        assert box["width"] > 40
        assert box["height"] > 20, panel
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= size["width"] + 1, panel
        assert box["y"] + box["height"] <= size["height"] + 1, panel
    assert not hand.see("document.documentElement.scrollWidth > innerWidth")
    picture = hand.keep_picture(f"page-{width}-{scheme}")
    assert picture.stat().st_size > 10_000


def test_every_key_is_told_and_can_be_changed(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.press("?")
    hand.page.wait_for_selector("#keys-dialog[open]")
    told = hand.page.locator("#keys-list").inner_text()
    for words in ("next doubtful", "swap", "split", "copy identities", "undo", "reviewed", "train", "play"):
        assert words in told
    hand.keep_picture("keys")
    row = hand.page.locator("#keys-list div", has_text="next frame").locator("button")
    row.click()
    hand.press("w")
    hand.page.locator("#keys-dialog form button").first.click()
    before = hand.see("cender.z")
    hand.press("w")
    assert hand.see("cender.z") == before + 1


def test_a_run_without_pictures_second_channel_and_identities_says_so(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    bare = shared_server.ask("/api/run") | {"channels": ["red"], "identities": []}
    hand.page.route("**/api/run", lambda route: route.fulfill(json=bare))
    hand.page.route("**/frames/8*", lambda route: route.fulfill(status=404, json={"detail": "the disk is away"}))
    hand.page.reload()
    hand.page.wait_for_selector("body[data-ready=yes]")
    assert not hand.page.locator("#channel").is_visible()
    assert "no identities yet" in hand.page.inner_text("#identities")
    why = hand.page.evaluate("async () => (await import('/static/pixels.js')).whyMissing(window.cender.v)")
    assert why == "the disk is away"
    size: Any = hand.page.locator("#frame").bounding_box()
    for one in hand.see("cender.volume.neurons"):
        x, y = (value / step for value, step in zip(one["centre_um"][:0:-1], bare["voxel_um"][:0:-1], strict=True))
        px, py = hand.page.evaluate("([x, y]) => window.cender.onScreen(x, y)", [x, y])
        assert 0 < px < size["width"]
        assert 0 < py < size["height"]


def test_pictures_of_another_folder_at_the_same_address_are_not_taken_from_the_browsers_memory(
    run_folder: Path, tmp_path: Path, sit_down: Sit
) -> None:
    one = serve_copy(run_folder, tmp_path / "one")
    first = next(one)
    hand = sit_down(first)
    hand.go(1)
    one.close()
    other = serve_copy(run_folder, tmp_path / "other", first.port)
    next(other)
    asked: list[str] = []
    hand.page.on("request", lambda request: asked.append(request.url) if "/frames/8" in request.url else None)
    old = hand.page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    hand.page.reload()
    hand.page.wait_for_selector("body[data-ready=yes]")
    other.close()
    assert any("/frames/8" in address for address in old)
    assert asked
    assert not set(asked) & set(old)
