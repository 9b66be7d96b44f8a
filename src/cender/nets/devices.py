"""What torch can compute on here."""

import torch


def has_gpu() -> bool:
    """Whether torch can use a GPU here."""
    return torch.cuda.is_available()
