"""How many threads torch uses for a while."""

import torch

from cender.nets.threads import limit_threads


def test_threads_are_bounded_inside_and_zero_leaves_them() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with limit_threads(1):
            assert torch.get_num_threads() == 1
        with limit_threads(0):
            assert torch.get_num_threads() == 2
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
