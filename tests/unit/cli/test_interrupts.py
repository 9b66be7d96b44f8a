"""Requests to stop: the first is heard, the second waits for it, the third ends everything."""

import signal
from contextlib import suppress

import pytest

from cender.cli import interrupts
from cender.cli.interrupts import STOPPED, Interrupts


@pytest.fixture(autouse=True)
def _put_back() -> object:
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_first_request_interrupts(how: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Interrupts().install()
    # Called rather than signalled: a signal would end the process that runs the tests if the handler were not there.
    heard = signal.getsignal(how)
    assert callable(heard)
    with pytest.raises(KeyboardInterrupt):
        heard(how, None)


def test_the_second_request_does_not_disturb_the_first(capfd: pytest.CaptureFixture[str]) -> None:
    asked = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        asked.ask()
    asked.ask()
    assert "stopping already" in capfd.readouterr().err


def test_the_third_request_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(interrupts.os, "_exit", ended.append)
    Interrupts(asked=2).ask()
    assert ended == [STOPPED]


def test_a_request_waits_for_the_end_of_a_step(capfd: pytest.CaptureFixture[str]) -> None:
    asked = Interrupts()
    with asked.waiting() as check:
        check()
        asked.ask()
        assert "after this step" in capfd.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            check()
    assert not asked.patient


def test_a_request_that_was_lost_is_raised_at_the_next_step_and_not_while_it_ends_things() -> None:
    asked = Interrupts()
    asked.check()
    with suppress(KeyboardInterrupt):
        asked.ask()
    with pytest.raises(KeyboardInterrupt):
        asked.check()
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        asked.check()


def test_a_process_that_ignores_ctrl_c_goes_on_ignoring_it() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Interrupts().install()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
