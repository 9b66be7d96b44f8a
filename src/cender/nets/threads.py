"""How many CPU threads torch uses for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def limit_threads(count: int) -> Iterator[None]:
    """Let torch use at most this many CPU threads inside the block; 0 leaves it as it is.

    Small networks lose more by handing work between threads than they gain: the paper's embedding trains
    slower with all cores of a busy machine than with one.
    """
    before = torch.get_num_threads()
    if count:
        torch.set_num_threads(min(count, before))
    try:
        yield
    finally:
        torch.set_num_threads(before)
