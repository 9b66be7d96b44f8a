"""How types and shapes are checked while the tests run: by beartype, for all functions of modules and classes.

A function inside of another one is made anew at every call of that one, and making its check takes milliseconds each
time, which used to be a third of the time of many tests. It is left out; what it calls is checked.
"""

from collections.abc import Callable
from typing import Any

from beartype import beartype


def check_types(function: Callable[..., Any], *words: Any, **more: Any) -> Callable[..., Any]:
    """The function with its types checked, or as it is where it is made inside of another function."""
    return function if "<locals>" in function.__qualname__ else beartype(function, *words, **more)
