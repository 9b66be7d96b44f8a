"""Without a mouse: queue, accepting, correcting, what is missing, undo, reviewed; and labels that do not pile up."""

from collections.abc import Callable
from typing import Any

import pytest

from browser.conftest import Hand, Server

Sit = Callable[..., Hand]


def see_selected(hand: Hand) -> dict[str, object]:
    found: dict[str, object] = hand.see("cender.volume.neurons.find(one => one.key === cender.key) ?? null")
    return found


def test_a_volume_is_corrected_by_keys_alone(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(1)
    z = 0
    while hand.see("cender.v") == 1:
        z, identity = hand.see("[cender.z, cender.identity]")
        hand.press("q")
        hand.wait(f"(cender.v !== 1 || cender.identity !== {identity}) && cender.identity >= 0")
        hand.wait("cender.volume?.volume === cender.v")
    hand.press("b")
    hand.wait(f"cender.v === 1 && cender.volume?.volume === 1 && cender.z === {z}")

    hand.press("ArrowRight")
    first = see_selected(hand)
    assert first
    hand.press("ArrowRight", "ArrowLeft")
    hand.press(*"731", "Enter")
    hand.settle()
    assert hand.see("cender.volume.neurons.filter(one => one.identity === 731 && one.human).length") == 1
    hand.press("Control+z")
    hand.settle()
    assert hand.see("cender.volume.neurons.filter(one => one.identity === 731).length") == 0
    assert hand.see("cender.identity") == see_selected(hand)["identity"], "one thing is selected everywhere"
    hand.press("N")
    hand.page.fill("#ask-answer", "AVAX")
    hand.press("Enter")
    hand.settle()
    hand.page.wait_for_selector("#identities .row[aria-selected=true] :text('AVAX')")

    one, other = hand.see("cender.volume.neurons.filter(one => one.identity >= 0 && one.boxes.length > 1).slice(0, 2)")
    hand.page.evaluate("key => window.cender.select(key)", one["key"])
    hand.press("x", *str(other["identity"]), "Enter")
    hand.settle()
    after = {each["key"]: each for each in shared_server.ask("/api/volumes/1")["neurons"]}
    assert (after[one["key"]]["identity"], after[other["key"]]["identity"]) == (other["identity"], one["identity"])

    before = see_selected(hand)["boxes"]
    z = hand.see("cender.z")
    hand.press("Alt+ArrowRight", "Alt+ArrowRight", "Alt+Shift+ArrowDown")
    hand.settle()
    (was,), (box,) = ([each for each in boxes if each[0] == z] for boxes in (before, see_selected(hand)["boxes"]))
    assert [round(a - b, 1) for a, b in zip(box, was, strict=True)] == [0, 2, 0, 0, 1]

    hand.press("Escape", "n")
    hand.settle()
    assert str(hand.see("cender.key")).startswith("h")
    hand.press("R")
    hand.settle()
    assert shared_server.ask("/api/volumes/1")["reviewed"]
    assert "reviewed" in hand.page.inner_text("#status")
    with hand.page.expect_download():
        hand.press("E")


def test_the_queue_is_walked_to_its_end_with_one_key(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.wait("cender.queue.volumes.length > 1 && cender.queue.neurons.length > 1")
    first, *items = hand.see(
        "[...cender.queue.volumes, ...cender.queue.neurons].map(one => [one.volume, one.identity])"
    )
    hand.go(first[0])
    # A correction changes what is best; the volume at which somebody works keeps its place all the same.
    turned = shared_server.ask("/api/queue")
    turned["volumes"].reverse()
    hand.page.route("**/api/queue", lambda route: route.fulfill(json=turned))
    kept = hand.page.evaluate(
        "async () => { await (await import('/static/travel.js')).loadQueue(); return window.cender.queue.volumes[0]; }"
    )
    assert kept["volume"] == first[0] != turned["volumes"][0]["volume"]
    hand.page.unroute("**/api/queue")
    hand.page.evaluate("async () => (await import('/static/travel.js')).loadQueue()")
    for volume, identity in items:
        hand.press("q")
        hand.wait(f"cender.v === {volume} && cender.volume?.volume === {volume} && cender.identity === {identity}")
    hand.press("q")
    hand.page.wait_for_selector("text=the queue is done")


def is_missed(hand: Hand, one: dict[str, Any]) -> bool:
    """Delete a neuron: whether it is then expected where it was, rather than its name given to a neighbour."""
    hand.page.evaluate("key => window.cender.select(key)", one["key"])
    hand.page.evaluate("() => { document.body.dataset.following = 'yes'; }")
    hand.press("Delete")
    hand.settle()
    # Names that follow from it come after a pause in the edits.
    hand.page.wait_for_function("() => document.body.dataset.following === 'no'")
    return bool(hand.see(f"cender.ghosts.some(each => each.identity === {one['identity']})"))


def test_a_missing_neuron_is_put_back_with_one_key(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(3)
    hand.wait("cender.reference !== null")
    known = hand.see(
        "cender.volume.neurons.filter(one => one.identity >= 0 && one.boxes.length > 1 && !one.human "
        "&& cender.reference.neurons.some(each => each.identity === one.identity))"
    )
    gone = next(one for one in known if is_missed(hand, one))
    hand.page.fill("#search", str(gone["identity"]))
    hand.press("Enter")
    assert hand.see("cender.identity") == gone["identity"]
    hand.press("a")
    hand.settle()
    (back,) = [one for one in shared_server.ask("/api/volumes/3")["neurons"] if one["identity"] == gone["identity"]]
    assert back["human"]
    assert sum((a - b) ** 2 for a, b in zip(back["centre_um"], gone["centre_um"], strict=True)) < 8**2


def test_labels_never_cover_each_other(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    drawn = hand.page.evaluate("""async () => {
      const { drawLabels } = await import("/static/labels.js");
      const placed = [], nothing = () => {};
      const context = { measureText: (text) => ({ width: 7 * text.length }),
        roundRect: (x, y, w, h) => placed.push([x, y, w, h]), beginPath: nothing,
        moveTo: nothing, lineTo: nothing, stroke: nothing, fill: nothing, fillText: nothing };
      const wanted = Array.from({ length: 40 }, (_, i) => ({ text: `#${100 + i}`, x: 300 + (i % 8) * 9,
        y: 200 + Math.floor(i / 8) * 9, w: 8, h: 8, colour: "#fff", strong: false, rank: i }));
      drawLabels(context, wanted, wanted, 800, 500);
      return placed;
    }""")
    assert len(drawn) > 25, "most of a dense crowd find a place"
    for row, (x, y, w, h) in enumerate(drawn):
        for ox, oy, ow, oh in drawn[:row]:
            assert x >= ox + ow or ox >= x + w or y >= oy + oh or oy >= y + h
        assert x >= 0
        assert y >= 0
        assert x + w <= 800
        assert y + h <= 500


def test_axes_and_outline_are_set_by_keys_alone(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(2)
    hand.press("o", "Enter", "ArrowLeft", "ArrowLeft", "ArrowUp", "Backspace", "Enter", "ArrowLeft", "Enter")
    hand.press("ArrowRight", "ArrowRight", "Alt+ArrowRight", "ArrowDown", "ArrowDown", "Enter")
    hand.settle()
    head = shared_server.ask("/api/volumes/2")["head"]
    assert head["human"]
    assert head["anterior_yx"] == [0.0, -1.0]
    assert head["ventral_yx"][0] > 0.5
    hand.press("O", "Enter", "ArrowRight", "ArrowRight", "Enter", "ArrowDown", "ArrowDown", "Enter", "O")
    hand.settle()
    head = shared_server.ask("/api/volumes/2")["head"]
    assert len(head["outline_yx"]) == 3
    hand.press("W")
    hand.settle()
    assert not shared_server.ask("/api/volumes/2")["head"]["human"]


def test_an_answer_from_before_an_edit_does_not_take_it_back(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(1)
    one = hand.see("cender.volume.neurons.find(one => one.boxes.length > 1)")
    z, x = one["boxes"][0][:2]
    hand.page.evaluate("key => window.cender.select(key)", one["key"])
    hand.page.evaluate("z => window.cender.showFrame(z)", z)
    held: list[Any] = []
    hand.page.route("**/api/volumes/1", lambda route: held.append((route, route.fetch())))

    def move(answers: int) -> None:
        hand.press("Alt+ArrowRight")
        hand.page.wait_for_function("() => document.body.dataset.waiting === '0'")
        while len(held) < answers:
            hand.page.wait_for_timeout(20)

    move(1)
    late = len(held)
    move(late + 1)
    route, answer = held.pop(0)
    route.fulfill(response=answer)
    hand.page.wait_for_timeout(300)
    found: dict[str, Any] = see_selected(hand)
    assert [box[1] for box in found["boxes"] if box[0] == z] == pytest.approx([x + 2])
    while held:
        route, answer = held.pop(0)
        route.fulfill(response=answer)
    hand.page.unroute("**/api/volumes/1")
    hand.press("Control+z", "Control+z")
    hand.settle()


def test_keys_change_what_is_shown_and_never_a_volume_that_is_on_its_way(server: Server, sit_down: Sit) -> None:
    hand = sit_down(server)
    hand.go(1)
    held: list[Any] = []
    hand.page.route("**/api/volumes/2", lambda route: held.insert(0, route))
    one = hand.see("cender.volume.neurons.find(each => each.identity >= 0 && each.boxes.length > 1)")
    hand.page.evaluate("key => window.cender.select(key)", one["key"])
    hand.press(".")
    while not held:
        hand.page.wait_for_timeout(20)
    # The machine's word is accepted only by who has seen it; a number that is typed ahead waits for its volume.
    hand.press("Enter", "R")
    hand.page.wait_for_selector("text=look first")
    assert hand.see("[cender.v, cender.volume.volume]") == [1, 1]
    hand.press(*"881", "Enter")
    held[0].continue_()
    hand.page.unroute("**/api/volumes/2")
    hand.wait("cender.v === 2 && cender.volume.volume === 2")
    hand.settle()
    assert server.ask("/api/run")["annotated"] == [2]
    assert server.ask("/api/run")["reviewed"] == []
    named = [each for each in server.ask("/api/volumes/2")["neurons"] if each["human"]]
    assert [each["identity"] for each in named] == [881]

    # Where the server is away, what is shown stays as it is, and so does what is changed.
    hand.page.route("**/api/volumes/3", lambda route: route.abort())
    hand.press(".")
    hand.page.wait_for_selector("text=the server is away")
    assert hand.see("[cender.v, cender.volume.volume]") == [2, 2]
    assert "volume 2 /" in hand.page.inner_text("#where")
    hand.page.unroute("**/api/volumes/3")
    hand.press(".")
    hand.wait("cender.v === 3 && cender.volume.volume === 3")
    hand.press("b")
    hand.page.wait_for_selector("text=there is no earlier place")


def test_a_key_that_is_held_accepts_once(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(5)
    hand.page.keyboard.down("Enter")
    for _ in range(5):
        hand.page.keyboard.down("Enter")
    hand.page.keyboard.up("Enter")
    hand.settle()
    assert hand.see("cender.key")
    assert hand.see("document.body.dataset.waiting") == "0"
    assert not any(one["human"] for one in shared_server.ask("/api/volumes/5")["neurons"])


def test_controls_that_are_reached_with_tab_work_by_keys(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(2)
    hand.press("Escape")
    hand.page.focus("#contrast summary")
    hand.press("Enter")
    assert hand.see("document.getElementById('contrast').open")
    hand.page.focus("#contrast-red")
    hand.press("ArrowRight", "ArrowRight")
    assert hand.see("cender.gain.red") > 1
    assert hand.see("cender.key") == "", "neither key has selected or accepted anything"
    hand.page.focus("#export")
    with hand.page.expect_download():
        hand.press("Enter")
    assert hand.see("cender.key") == ""
    # After the mouse the keys are those of the frame again.
    hand.page.click("#contrast summary")
    hand.press("ArrowRight")
    assert hand.see("cender.key") != ""
    hand.press("Alt+7")
    assert hand.see("cender.typed") == ""

    hand.press("?")
    row = hand.page.locator("#keys-list div", has_text="next frame").locator("button")
    row.click()
    hand.press("4")
    hand.page.wait_for_selector("#keys-note:has-text('Digits are for the numbers of identities')")
    assert row.inner_text() == "j"


def test_what_cannot_be_done_is_said(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(2)

    def said(*keys: str) -> str:
        hand.page.evaluate("() => { document.getElementById('toast').textContent = ''; }")
        hand.press(*keys)
        hand.page.wait_for_function("() => document.getElementById('toast').textContent !== ''")
        return hand.page.inner_text("#toast")

    hand.press("Escape")
    for key in ("d", "Delete", "s", "u", "Alt+ArrowLeft", "x", "m"):
        assert said(key) == "select a neuron first", key
    for key in ("M", "S", "I", "N"):
        assert said(key) == "select a neuron with a number first", key
    assert said("O", "Enter", "O").startswith("an outline has three corners")
    assert said("o", "Enter", "Enter", "Enter").startswith("nose and belly are elsewhere")
    assert said("W").startswith("the head of this volume is set by the machine")

    one = hand.see(
        "cender.volume.neurons.find(each => each.identity >= 0 && each.boxes.length > 1 && each.boxes[0][0] > 0)"
    )
    hand.page.evaluate("key => window.cender.select(key)", one["key"])
    hand.page.evaluate("z => window.cender.showFrame(z)", one["boxes"][0][0])
    assert said("s").startswith("a neuron is split between two of its frames")
    hand.page.evaluate("z => window.cender.showFrame(z)", one["boxes"][0][0] - 1)
    assert said("d") == "the neuron has no box in this frame"
    hand.press("N")
    hand.page.fill("#ask-answer", "A" * 101)
    assert "at most 100 characters" in said("Enter")
    hand.settle()

    hand.page.evaluate("key => window.cender.select(key)", one["key"])
    hand.page.route("**/spots?*", lambda route: route.abort())
    hand.press("p")
    assert said(*"871", "Enter") == "the server is away: nothing was changed"
    assert hand.see(f"cender.volume.neurons.find(each => each.key === '{one['key']}').identity") == one["identity"]
    assert hand.see("document.body.dataset.busy") == "0"

    hand.page.mouse.move(*hand.point(one["boxes"][0][1] + 20, one["boxes"][0][2]))
    hand.press("n")
    hand.wait("cender.volume.neurons.find(each => each.key === cender.key)?.identity === -1")
    assert said(*"872", "Enter").startswith("it had no number by which to find it elsewhere")
    hand.settle()
    latest = hand.page.locator("#log li").first
    assert latest.inner_text().startswith("a neuron is #872 in volume 2"), "never by its key"


def test_searching_and_setting_axes_leave_nothing_behind(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(2)
    listed = hand.page.locator("#identities .row").count()
    number = hand.see("cender.volume.neurons.find(one => one.identity > 9).identity")
    hand.press("/")
    hand.page.keyboard.type(str(number))
    hand.page.wait_for_function(f"() => document.querySelectorAll('#identities .row').length < {listed}")
    hand.press("Enter")
    hand.page.wait_for_selector(f"#identities .row[aria-selected=true][data-identity='{number}']")
    assert hand.page.locator("#identities .row").count() == listed, "what was found is shown among all others"
    hand.press("/")
    hand.page.keyboard.type("nobody")
    hand.page.wait_for_selector("text=no identity begins with")
    hand.press("Escape")
    hand.page.wait_for_function(f"() => document.querySelectorAll('#identities .row').length === {listed}")
    hand.press("o", "Escape")
    assert not hand.see("cender.axes")
