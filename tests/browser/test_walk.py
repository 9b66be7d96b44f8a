"""A walk over all keys that change something, and one over all ways to look."""

from collections.abc import Callable
from typing import Any

from browser.conftest import Hand, Server
from browser.test_annotating import by_key

Sit = Callable[..., Hand]


def find_spots(server: Server, identity: int) -> set[int]:
    """Volumes in which an identity is."""
    return {one["volume"] for one in server.ask(f"/api/identities/{identity}/spots")["spots"]}


def find_given(server: Server, identity: int) -> set[int]:
    """Volumes in which a person gave an identity; what the machine proposes meanwhile does not count."""
    return {
        volume
        for volume in server.ask("/api/run")["annotated"]
        if any(one["identity"] == identity and one["human"] for one in by_key(server, volume).values())
    }


def select(hand: Hand, one: dict[str, Any]) -> None:
    hand.page.evaluate("key => window.cender.select(key)", one["key"])


def answer(hand: Hand, key: str, words: str) -> None:
    """Press a key that asks something, and answer."""
    hand.press(key)
    hand.page.wait_for_selector("#ask-dialog[open]")
    hand.page.fill("#ask-answer", words)
    hand.press("Enter")


def test_every_key_that_changes_something(server: Server, sit_down: Sit) -> None:
    hand = sit_down(server)
    hand.go(1)
    tall, other, third = hand.see(
        "cender.volume.neurons.filter(one => one.identity >= 0 && one.boxes.length > 1)"
        ".sort((a, b) => b.boxes.length - a.boxes.length).slice(0, 3)"
    )

    before, where = find_spots(server, other["identity"]), find_spots(server, third["identity"])
    assert len(before) > 2
    for one in (other, third):
        select(hand, one)
        hand.press("Enter")
        hand.settle()
        hand.go(1)

    select(hand, tall)
    hand.page.evaluate("z => window.cender.showFrame(z)", tall["boxes"][1][0])
    hand.press("s")
    hand.settle()
    after = by_key(server, 1)
    (half,) = [one for key, one in after.items() if key.startswith("h")]
    assert len(after[tall["key"]]["boxes"]) == 1
    assert len(half["boxes"]) == len(tall["boxes"]) - 1

    select(hand, half)
    hand.press(*"801", "Enter")
    hand.settle()
    select(hand, tall)
    hand.press("m", *"801", "Enter")
    hand.settle()
    after = by_key(server, 1)
    assert half["key"] not in after
    assert [box[0] for box in after[tall["key"]]["boxes"]] == [box[0] for box in tall["boxes"]]

    hand.press("U")
    hand.settle()
    assert server.ask("/api/run")["unusable"] == [1]
    hand.page.wait_for_selector("#status:has-text('unusable')")
    hand.press("U")
    hand.settle()
    assert server.ask("/api/run")["unusable"] == []

    select(hand, other)
    hand.press("I")
    hand.settle()
    reviewed = [one["identity"] for one in server.ask("/api/identities") if one["reviewed"]]
    assert reviewed == [other["identity"]]
    hand.page.wait_for_selector(f"#identities .row[aria-selected=true] :text('✓ #{other['identity']}')")

    select(hand, third)
    hand.press("p")
    hand.page.wait_for_selector("#scope:has-text('from here on')")
    answer(hand, "p", "2")
    hand.page.wait_for_selector("#scope:has-text('2')")
    hand.press(*"802", "Enter")
    hand.settle()
    assert find_given(server, 802) == where & {1, 2}
    assert find_given(server, third["identity"]) == set()
    hand.press("p")
    hand.page.wait_for_selector("#scope:has-text('this volume')")

    select(hand, other)
    hand.press("S")
    hand.settle()
    new = by_key(server, 1)[other["key"]]["identity"]
    assert new != other["identity"]
    later = {volume for volume in before if volume >= 1}
    assert (find_given(server, new), find_given(server, other["identity"])) == (later, set())
    select(hand, other)
    answer(hand, "M", str(other["identity"]))
    hand.settle()
    assert (find_given(server, new), find_given(server, other["identity"])) == (set(), later)

    hand.press("]")
    doubted = hand.see("cender.volume.neurons.find(one => one.key === cender.key)")
    while doubted["identity"] < 0:
        hand.press("]")
        doubted = hand.see("cender.volume.neurons.find(one => one.key === cender.key)")
    v = hand.see("cender.v")
    hand.press("Enter")
    hand.wait(f"cender.key !== '{doubted['key']}' || cender.v !== {v}")
    hand.settle()
    accepted = by_key(server, v)[doubted["key"]]
    assert (accepted["identity"], accepted["human"]) == (doubted["identity"], True)

    for _ in range(12):
        hand.press("Control+z")
    hand.settle()
    assert set(by_key(server, 1)) >= {tall["key"], other["key"], third["key"]}
    assert not any(one["human"] or one["edited"] for one in by_key(server, 1).values()), "all of it is taken back"


def test_every_way_to_look(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(2)
    one = hand.see("cender.volume.neurons.find(one => one.identity >= 0 && one.boxes.length > 1)")
    select(hand, one)
    hand.wait("cender.trace !== null && cender.reference !== null")

    def look() -> str:
        return str(hand.page.evaluate("() => document.getElementById('frame').toDataURL()"))

    seen = [look()]
    for key, after in (
        ("g", "cender.channel === 'red'"),
        ("g", "cender.channel === 'green'"),
        ("c", "cender.gain.red > 1"),
        ("P", "cender.flat"),
        ("+", "cender.zoom > 1.2"),
        ("h", "cender.hidden"),
    ):
        hand.press(key)
        hand.wait(after)
        hand.page.wait_for_timeout(150)
        seen.append(look())
    assert len(set(seen)) == len(seen), "every one of them shows something else"

    box = hand.page.locator("#space").bounding_box()
    assert box is not None
    hand.page.mouse.move(box["x"] + 5, box["y"] + 5)
    hand.page.mouse.down()
    hand.page.mouse.move(box["x"] + 45, box["y"] + 25)
    hand.page.mouse.up()
    hand.press("v")
    assert hand.see("document.body.classList.contains('beside')")
    frame, reference = (hand.page.locator(name).bounding_box() for name in ("#frame", "#reference"))
    assert frame is not None
    assert reference is not None
    assert abs(frame["width"] - reference["width"]) < 60
    hand.keep_picture("beside")

    # All of that is in the address: a reload shows the same.
    hand.press("f", "p")
    assert hand.see("cender.fixed !== null && cender.scope === 'onward' && cender.spin > 0.65")
    kept = (
        "[cender.v, cender.z, cender.key, cender.channel, cender.flat, cender.beside, cender.zoom.toFixed(2), "
        "cender.gain.red, cender.gain.green, cender.hidden, cender.scope, cender.fixed, cender.reference.volume, "
        "cender.spin.toFixed(2), document.getElementById('contrast-red').value]"
    )
    shown = hand.see(kept)
    hand.page.wait_for_function("() => /beside.*hidden/.test(location.hash) && location.hash.includes('w=onward')")
    hand.page.wait_for_function("() => location.hash.includes('p=') && location.hash.includes('t=')")
    hand.page.reload()
    hand.page.wait_for_selector("body[data-ready=yes]")
    hand.wait("cender.reference !== null")
    assert hand.see(kept) == shown
    hand.press("f", "p", "Escape")
    hand.wait("cender.scope === 'volume'")
    hand.press("v", "P", "Escape")
    assert hand.see("[cender.beside, cender.flat, cender.zoom, cender.key]") == [False, False, 1, ""]

    hand.go(2)
    click_part(hand, "#strip", 0.5 / 7)
    assert hand.see("cender.z") == 0
    click_part(hand, "#strip", 3.5 / 7)
    assert hand.see("cender.z") == 3
    hand.page.mouse.click(*find_point(hand, one))
    assert hand.see("cender.key") == one["key"], "a click on a point selects its neuron"
    volumes = hand.see("cender.run.volumes.volume.length")
    click_part(hand, "#trace", 4.5 / volumes, left=34)
    hand.wait("cender.v === 4 && cender.volume?.volume === 4")

    hand.press("Space")
    hand.wait("cender.playing && cender.v !== 4")
    hand.press("Space")
    assert not hand.see("cender.playing")
    hand.wait("cender.volume?.volume === cender.v")


def test_the_place_in_the_queue_is_kept(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.wait("cender.queue.volumes.length > 1 && cender.queue.neurons.length > 1")
    hand.page.locator("#queue li").nth(hand.see("cender.queue.volumes.length")).click()
    first, second = hand.see("cender.queue.neurons.slice(0, 2)")
    hand.wait(f"cender.v === {first['volume']} && cender.identity === {first['identity']}")
    hand.page.wait_for_function("() => location.hash.includes('q=neuron')")
    hand.page.reload()
    hand.page.wait_for_selector("body[data-ready=yes]")
    assert hand.see("[cender.v, cender.identity]") == [first["volume"], first["identity"]]
    hand.press("q")
    hand.wait(f"cender.v === {second['volume']} && cender.identity === {second['identity']}")


def test_a_volume_that_is_asked_for_does_not_wait_for_the_queue(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    held: list[Any] = []
    hand.page.route("**/api/queue", lambda route: held.insert(0, route))
    hand.page.goto(f"{shared_server.address}?author=ben#v=3")
    hand.wait("cender?.volume?.volume === 3 && cender.stackOf(3) !== null")
    while not held:
        hand.page.wait_for_timeout(20)
    assert hand.see("cender.queue.volumes.length") == 0
    held[0].continue_()
    hand.page.unroute("**/api/queue")
    hand.wait("cender.queue.volumes.length > 0")


def click_part(hand: Hand, panel: str, share: float, left: float = 0.0) -> None:
    """Click a panel at a share of its width."""
    box = hand.page.locator(panel).bounding_box()
    assert box is not None
    hand.page.mouse.click(box["x"] + left + share * (box["width"] - left), box["y"] + box["height"] / 2)
    hand.page.wait_for_timeout(100)


def find_point(hand: Hand, one: dict[str, Any]) -> tuple[float, float]:
    """Where a neuron's point is on the screen."""
    box = hand.page.locator("#space").bounding_box()
    assert box is not None
    x, y = hand.page.evaluate("key => window.cender.inSpace(key)", one["key"])
    return box["x"] + x, box["y"] + y


def test_a_touchpad_moves_as_far_as_it_rolls_and_a_wheel_one_frame_per_notch(
    shared_server: Server, sit_down: Sit
) -> None:
    hand = sit_down(shared_server)
    roll = """(deltas) => deltas.map(([deltaY, timeStamp]) => {
        const event = new WheelEvent("wheel", { deltaY, cancelable: true });
        Object.defineProperty(event, "timeStamp", { value: timeStamp });
        document.getElementById("frame").dispatchEvent(event);
        return window.cender.z;
    })"""
    hand.go(2, 0)
    touchpad = hand.page.evaluate(roll, [[6, 1e6 + 10 * i] for i in range(16)])
    assert touchpad[0] == 1, "it answers at once"
    assert touchpad[-1] == 3, "90 pixels are two more frames"
    wheel = hand.page.evaluate(roll, [[-120, 2e6 + 10 * i] for i in range(3)])
    assert wheel == [2, 1, 0]


def test_a_volume_is_gone_to_by_its_number_and_by_its_address(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(1)
    hand.press("G")
    hand.page.fill("#ask-answer", "4")
    hand.press("Enter")
    hand.wait("cender.v === 4 && cender.volume.volume === 4")
    hand.page.wait_for_function("() => location.hash.includes('v=4')")
    # The earlier place is kept by a reload.
    hand.page.reload()
    hand.page.wait_for_selector("body[data-ready=yes]")
    hand.press("b")
    hand.wait("cender.v === 1 && cender.volume.volume === 1")
    hand.page.click("#where")
    hand.page.fill("#ask-answer", "77")
    hand.press("Enter")
    hand.page.wait_for_selector("text=volume 77 is not part of this run")
    hand.page.evaluate("() => { location.hash = '#v=3&c=green'; }")
    hand.wait("cender.v === 3 && cender.volume.volume === 3 && cender.channel === 'green'")
    hand.page.goto("about:blank")
    hand.page.goto(f"{shared_server.address}#v=77")
    hand.page.wait_for_selector("text=volume 77 is not part of this run")
    hand.wait("cender.volume !== null")
