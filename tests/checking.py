"""How types and shapes are checked while the tests run: by beartype, for all functions of modules and classes.

A function inside of another one is made anew at every call of that one, and making its check takes milliseconds each
time, which used to be a third of the time of many tests. It is left out; what it calls is checked. For the same reason
a function that was called as it says some hundred times is then left alone.
"""

import sys
from collections.abc import Callable
from functools import reduce, wraps
from typing import Any

from beartype import beartype

CHECKED = 300
"""Calls of a function that are checked in each process of the tests."""


def check_types(function: Callable[..., Any], *words: Any, **more: Any) -> Callable[..., Any]:
    """The function with its types checked, or as it is where it is made inside of another function."""
    if "<locals>" in function.__qualname__:
        return function
    checked: Callable[..., Any] | None = None
    left = CHECKED

    @wraps(function)
    def check(*given: Any, **named: Any) -> Any:
        nonlocal checked, left
        # Most functions are never called in a given process: a check is made when it is needed.
        checked = checked or beartype(function, *words, **more)
        told = checked(*given, **named)
        left -= 1
        if left == 0:
            _leave_alone(function)
        return told

    return check


def _leave_alone(function: Callable[..., Any]) -> None:
    """Tell jaxtyping, which calls the check, to call the function of that name without it from now on."""
    if function.__name__ == "__init__":
        return  # Records hold what stages pass on: each one is checked.
    words = function.__qualname__.split(".")
    try:
        found = reduce(lambda place, word: vars(place)[word], words, sys.modules[function.__module__])
    except KeyError:
        return
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    if callable(found) and getattr(found, "__wrapped__", None) is not None:
        found.__no_type_check__ = True  # type: ignore[attr-defined]
