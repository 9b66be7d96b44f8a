"""Two people at one run: each sees what the other does, and a conflict shows both sides."""

from collections.abc import Callable

from browser.conftest import Hand, Server

Sit = Callable[..., Hand]


def test_two_people_see_each_other_and_settle_a_conflict(shared_server: Server, sit_down: Sit) -> None:
    ana, bo = sit_down(shared_server), sit_down(shared_server, author="bo")
    for hand in (ana, bo):
        hand.go(2)
    ana.page.wait_for_function("() => document.getElementById('others').textContent.includes('bo at 2')")
    one = bo.see("cender.volume.neurons.find(each => each.boxes.length === 1 && each.identity >= 0)")
    # Bo does not hear of what Ana does, so that both change what they saw.
    bo.page.route("**/api/volumes/2", lambda route: route.abort())
    for hand, number in ((ana, "611"), (bo, "612")):
        hand.page.evaluate("key => window.cender.select(key)", one["key"])
        hand.press(*number, "Enter")
        if hand is ana:
            hand.settle()
    bo.page.wait_for_selector("#conflict-dialog[open]")
    assert "ana" in bo.page.inner_text("#conflict-theirs")
    bo.page.unroute("**/api/volumes/2")
    bo.page.click("#make-mine")
    bo.settle()
    assert [
        each["identity"] for each in shared_server.ask("/api/volumes/2")["neurons"] if each["key"] == one["key"]
    ] == [612]
    ana.wait(f"cender.volume.neurons.some(each => each.key === '{one['key']}' && each.identity === 612)")
