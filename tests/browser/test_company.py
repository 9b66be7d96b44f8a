"""Two people at one run: each sees what the other does, and a conflict shows both sides."""

from collections.abc import Callable

from browser.conftest import Hand, Server

Sit = Callable[..., Hand]


def test_two_people_see_each_other_and_settle_a_conflict(shared_server: Server, sit_down: Sit) -> None:
    ana, bo = sit_down(shared_server), sit_down(shared_server, author="bo")
    for hand in (ana, bo):
        hand.go(2)
    ana.page.wait_for_function("() => document.getElementById('others').textContent.includes('bo at 2')")
    one, other, *_ = bo.see("cender.volume.neurons.filter(each => each.boxes.length === 1 && each.identity >= 0)")
    # Bo does not hear of what Ana does, so that both change what they saw.
    bo.page.route("**/api/volumes/2", lambda route: route.abort())
    bo.page.route("**/api/edits", lambda route: route.fulfill(status=401, json={"detail": "no token"}))
    for hand, numbers in ((ana, ("611", "613")), (bo, ("612", "614"))):
        for neuron, number in zip((one, other), numbers, strict=True):
            hand.page.evaluate("key => window.cender.select(key)", neuron["key"])
            hand.press(*number, "Enter")
        if hand is ana:
            hand.settle()
    # Who is not let in loses nothing.
    bo.page.wait_for_function("() => document.getElementById('saved').textContent.includes('2 edits kept here')")
    bo.page.unroute("**/api/edits")

    bo.page.wait_for_selector("#conflict-dialog[open]")
    assert "611" in bo.page.inner_text("#conflict-theirs")
    assert bo.see("document.body.dataset.waiting") == "2", "an edit is kept until its conflict is settled"
    bo.page.click("#make-mine")
    bo.page.wait_for_function("() => document.getElementById('conflict-theirs').textContent.includes('613')")
    bo.page.unroute("**/api/volumes/2")
    bo.page.click("#keep-theirs")
    bo.settle()
    after = {each["key"]: each["identity"] for each in shared_server.ask("/api/volumes/2")["neurons"]}
    assert (after[one["key"]], after[other["key"]]) == (612, 613)
    ana.wait(f"cender.volume.neurons.some(each => each.key === '{one['key']}' && each.identity === 612)")


def test_a_page_says_who_works_at_it_and_the_next_page_sends_what_it_left(shared_server: Server, sit_down: Sit) -> None:
    ana, new = sit_down(shared_server), sit_down(shared_server)
    ana.page.wait_for_selector("text=another page works as ana too", state="attached")
    new.press("A")
    new.page.fill("#ask-answer", "cy")
    new.press("Enter")
    ana.page.wait_for_function("() => document.getElementById('others').textContent.includes('cy at')")
    assert new.page.inner_text("#who") == "cy"

    new.go(4)
    one = new.see("cender.volume.neurons.find(each => each.boxes.length > 1 && !each.human)")
    new.page.route("**/api/edits", lambda route: route.abort())
    new.page.evaluate("key => window.cender.select(key)", one["key"])
    new.press(*"655", "Enter")
    new.page.wait_for_selector("#saved.away")
    next_page = new.page.context.new_page()
    new.page.close()
    next_page.goto(shared_server.address)
    next_page.wait_for_selector("body[data-ready=yes][data-waiting='0']")
    assert next_page.inner_text("#who") == "cy", "kept in this browser"
    after = {each["key"]: each["identity"] for each in shared_server.ask("/api/volumes/4")["neurons"]}
    assert after[one["key"]] == 655
    assert shared_server.ask("/api/log?author=cy")["entries"][-1]["author"] == "cy"


def test_who_looks_for_long_is_still_there_and_who_has_left_is_not(shared_server: Server, sit_down: Sit) -> None:
    ana, bo = sit_down(shared_server), sit_down(shared_server, author="bo")
    shown = "() => document.getElementById('others').textContent.includes('bo at')"
    for hand in (ana, bo):
        hand.page.clock.install()
        hand.page.reload()
        hand.page.wait_for_selector("body[data-ready=yes]")
    ana.page.wait_for_function(shown)
    ana.page.clock.run_for(60_000)
    bo.page.clock.run_for(31_000)
    ana.page.wait_for_timeout(500)
    ana.page.clock.run_for(60_000)
    assert ana.page.evaluate(shown), "bo has told half a minute ago where he is"
    bo.page.context.close()
    ana.page.clock.run_for(60_000)
    ana.page.wait_for_function("() => !document.getElementById('others').textContent.includes('bo at')")


def test_history_says_the_day_of_what_was_done_on_another_one(shared_server: Server, sit_down: Sit) -> None:
    hand = sit_down(shared_server)
    hand.go(2)
    one = hand.see("cender.volume.neurons.find(each => each.identity >= 0)")
    hand.page.evaluate("key => window.cender.select(key)", one["key"])
    hand.press(*"645", "Enter")
    hand.settle()
    (year, written) = hand.page.evaluate("[String(new Date().getFullYear()), document.getElementById('log').innerText]")
    assert year not in written
    hand.page.clock.set_fixed_time("2042-03-01T12:00:00")
    hand.page.reload()
    hand.page.wait_for_selector("body[data-ready=yes]")
    assert year in hand.page.inner_text("#log li >> nth=0")
