"""What a person does all day: draw, correct, assign, propagate, undo, come back after a power cut, train, export."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from browser.conftest import Hand, Server
from cender.cli.app import app

Sit = Callable[..., Hand]


def by_key(server: Server, volume: int) -> dict[str, dict[str, Any]]:
    """The neurons of a volume as the server knows them."""
    return {one["key"]: one for one in server.ask(f"/api/volumes/{volume}")["neurons"]}


def boxed(server: Server, volume: int, apart_px: float = 14.0) -> list[dict[str, Any]]:
    """Machine's neurons whose middle box has no other box near it, so that a click means one of them."""
    neurons = server.ask(f"/api/volumes/{volume}")["neurons"]

    def middle(one: dict[str, Any]) -> tuple[int, float, float]:
        z, x, y, w, h = one["boxes"][len(one["boxes"]) // 2]
        return z, x + w / 2, y + h / 2

    def alone(one: dict[str, Any]) -> bool:
        z, x, y = middle(one)
        return all(
            max(abs(bx + w / 2 - x), abs(by + h / 2 - y)) > apart_px
            for other in neurons
            if other is not one
            for bz, bx, by, w, h in other["boxes"]
            if bz == z
        )

    return [one for one in neurons if one["boxes"] and one["machine"] >= 0 and alone(one)]


def measure_rise(hand: Hand, volume: int, box: list[float]) -> float:
    """How much brighter a box is one frame further on, as the page has its pixels."""
    sum_up = """([v, z, x, y, w, h]) => {
        const stack = window.cender.stackOf(v);
        let sum = 0;
        for (let j = Math.round(y - stack.y); j < y - stack.y + h; j++)
            for (let i = Math.round(x - stack.x); i < x - stack.x + w; i++)
                sum += stack.data[(z * stack.h + j) * stack.w + i];
        return sum;
    }"""
    here, there = (hand.page.evaluate(sum_up, [volume, box[0] + step, *box[1:]]) for step in (0, 1))
    return float(there or 0) / max(here, 1)


def test_boxes_are_drawn_and_corrected(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(2)
    # A neuron is drawn in a frame where it is dimmer than in the next one.
    z, x, y, w, h = max(
        (one["boxes"][0] for one in boxed(shared_server, 2)), key=lambda box: measure_rise(hand, 2, box)
    )
    hand.go(2, z)
    before = set(by_key(shared_server, 2))

    hand.drag((x, y), (x + w + 1, y + h + 1), shift=True)
    hand.settle()
    (drawn,) = [one for key, one in by_key(shared_server, 2).items() if key not in before]
    assert len(drawn["boxes"]) > 1, "a bright neuron is followed through neighbouring frames"
    assert hand.see("cender.key") == drawn["key"]

    _, xd, yd, wd, hd = next(box for box in drawn["boxes"] if box[0] == z)
    hand.drag((xd + wd / 2, yd + hd / 2), (xd + wd / 2 + 3, yd + hd / 2))
    hand.settle()
    moved = next(box for box in by_key(shared_server, 2)[drawn["key"]]["boxes"] if box[0] == z)
    assert abs(moved[1] - (xd + 3)) < 1
    assert abs(moved[3] - wd) < 0.2

    hand.drag(
        (moved[1] + moved[3] - 0.5, moved[2] + moved[4] - 0.5), (moved[1] + moved[3] + 3.5, moved[2] + moved[4] + 1)
    )
    hand.settle()
    larger = next(box for box in by_key(shared_server, 2)[drawn["key"]]["boxes"] if box[0] == z)
    assert larger[3] > moved[3] + 2

    hand.press("d")
    hand.settle()
    assert all(box[0] != z for box in by_key(shared_server, 2)[drawn["key"]]["boxes"])
    hand.press("Delete")
    hand.settle()
    assert set(by_key(shared_server, 2)) == before
    assert "deleted" in hand.page.locator("#log li").first.inner_text()


def test_identity_goes_through_all_frames_and_to_later_volumes(server: Server, sit_down: Sit) -> None:
    hand = sit_down(server)
    hand.go(1)
    one = next(each for each in boxed(server, 1) if len(each["boxes"]) > 1)
    number = one["identity"]
    later = [v for v in (2, 3, 4, 5) if any(each["identity"] == number for each in by_key(server, v).values())]
    hand.click(one)
    hand.press(*"901", "Enter")
    hand.settle()
    assert by_key(server, 1)[one["key"]]["identity"] == 901
    for z in {box[0] for box in one["boxes"]}:
        hand.page.evaluate("z => window.cender.showFrame(z)", z)
        assert hand.see("cender.volume.neurons.find(one => one.key === cender.key).identity") == 901
    hand.press("Control+z")
    hand.settle()
    assert by_key(server, 1)[one["key"]]["identity"] == number

    hand.click(one)
    hand.press("p", *"902", "Enter")
    hand.settle()
    assert later
    for v in later:
        assert any(each["identity"] == 902 for each in by_key(server, v).values())


def test_identities_are_propagated(server: Server, sit_down: Sit) -> None:
    hand = sit_down(server)
    hand.go(3)
    assert not any(one["human"] for one in by_key(server, 3).values())
    hand.press("e")
    hand.settle()
    first = {key for key, one in by_key(server, 3).items() if one["human"]}
    assert len(first) > 10
    hand.press("Control+z")
    hand.settle()
    assert not any(one["human"] for one in by_key(server, 3).values())
    hand.wait("cender.reference !== null")
    hand.press("r")
    hand.settle()
    assert any(one["human"] for one in by_key(server, 3).values())


def test_nothing_acknowledged_is_lost(server: Server, sit_down: Sit) -> None:
    hand = sit_down(server)
    hand.go(2)
    chosen = boxed(server, 2, apart_px=5)[:20]
    assert len(chosen) == 20
    for row, one in enumerate(chosen):
        hand.click(one)
        hand.press(*str(800 + row), "Enter")
    hand.settle()
    named = {key: one["identity"] for key, one in by_key(server, 2).items() if one["human"]}
    assert named == {one["key"]: 800 + row for row, one in enumerate(chosen)}

    hand.press(*["Control+z"] * 20)
    hand.settle()
    assert not any(one["human"] for one in by_key(server, 2).values())
    hand.page.context.close()

    hand = sit_down(server)
    hand.go(2)
    hand.press(*["Control+Shift+z"] * 20)
    hand.page.wait_for_function("() => Number(document.body.dataset.waiting) < 15")
    server.kill()
    # More is done while the server is away: the page says so and keeps it.
    hand.click(chosen[0])
    hand.press(*"850", "Enter")
    hand.page.wait_for_selector("#saved.away")
    assert int(hand.see("document.body.dataset.waiting")) >= 1
    server.begin()
    hand.settle()
    after = {key: one["identity"] for key, one in by_key(server, 2).items() if one["human"]}
    assert after == named | {chosen[0]["key"]: 850}
    log = server.ask("/api/log?author=ana")["entries"]
    assert [one["action"] for one in log] == ["do"] * 20 + ["undo"] * 20 + ["redo"] * 20 + ["do"]


def test_training_changes_identities_and_leaves_what_a_person_fixed(server: Server, sit_down: Sit) -> None:
    hand = sit_down(server)
    hand.go(0)
    one, other = boxed(server, 0)[:2]
    hand.click(one)
    hand.press(*"700", "Enter")
    hand.settle()
    hand.press("R")
    hand.settle()
    assert by_key(server, 0)[one["key"]]["identity"] == 700
    before = {v: sorted((n["machine"], *n["centre_um"]) for n in by_key(server, v).values()) for v in (1, 2, 3)}
    generation = hand.see("cender.run.generation")
    hand.page.evaluate("() => { window.same = true; }")

    hand.press("T")
    hand.page.wait_for_selector("#learning[data-state=running]")
    hand.page.wait_for_selector("#learning:not([data-state=running])", timeout=240_000)
    assert hand.page.get_attribute("#learning", "data-state") == "done", hand.page.inner_text("#learning")
    hand.wait(f"cender.run.generation > {generation}")
    assert hand.see("window.same"), "results arrive without a reload"
    hand.wait("cender.reference?.generation === cender.run.generation && cender.stackOf(cender.reference.volume)")
    after = {v: sorted((n["machine"], *n["centre_um"]) for n in by_key(server, v).values()) for v in (1, 2, 3)}
    assert after != before
    fixed = [n for n in by_key(server, 0).values() if n["identity"] == 700]
    assert [n["centre_um"] for n in fixed] == [one["centre_um"]]
    assert any(n["identity"] == other["identity"] and n["human"] for n in by_key(server, 0).values())


def test_export_is_what_the_command_exports(shared_server: Server, sit_down: Sit, tmp_path: Path) -> None:
    hand = sit_down(shared_server)
    hand.go(4)
    one = boxed(shared_server, 4)[0]
    hand.click(one)
    hand.press(*"640", "Enter")
    hand.settle()
    with hand.page.expect_download() as waiting:
        hand.page.click("#export")
    waiting.value.save_as(tmp_path / "page.csv")
    done = CliRunner().invoke(
        app, ["export", str(shared_server.folder), str(tmp_path / "command.csv"), "--format", "points"]
    )
    assert done.exit_code == 0, done.output
    text = (tmp_path / "page.csv").read_text(encoding="utf-8")
    assert text == (tmp_path / "command.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["volume"] for row in rows if row["identity"] == "640"] == ["4"]
