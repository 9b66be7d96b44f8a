"""The namer's network as a function."""

import numpy as np
import torch

from cender.nets.namer import Namer, make_name_score


def test_naming_takes_one_thread_and_leaves_the_others_as_they_were() -> None:
    seen: list[int] = []
    net = Namer(3, 2)
    net.register_forward_hook(lambda *_: seen.append(torch.get_num_threads()))
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        make_name_score([net])(np.zeros((1, 5, 3)), np.zeros((5, 2)))
        after = torch.get_num_threads()
    finally:
        torch.set_num_threads(before)
    assert (seen, after) == ([1], 2)
