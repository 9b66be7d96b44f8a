"""The margin-penalty loss: the paper's formula, finite at the ends of the cosine."""

import math

import pytest
import torch
from torch.nn import functional

from cender.training.paper.margin import margin_loss

PAPER = (1.05, 0.0, 0.05)


def test_loss_is_the_formula() -> None:
    cosine = torch.tensor([[0.8, 0.1, -0.3]], dtype=torch.float64)
    m1, m2, m3, s = 1.05, 0.2, 0.05, 32.0
    true = math.exp(s * (math.cos(m1 * math.acos(0.1) + m2) - m3))
    others = math.exp(s * 0.8) + math.exp(s * -0.3)
    loss = margin_loss(cosine, torch.tensor([1]), (m1, m2, m3), s)
    assert float(loss) == pytest.approx(-math.log(true / (true + others)))


def test_no_margin_is_softmax_and_every_margin_makes_it_harder() -> None:
    cosine = torch.tanh(torch.randn(20, 6, generator=torch.manual_seed(0)))
    target = torch.arange(20) % 6
    plain = margin_loss(cosine, target, (1.0, 0.0, 0.0), 4.0)
    assert float(plain) == pytest.approx(float(functional.cross_entropy(4 * cosine, target)), rel=1e-5)
    for margins in ((1.05, 0.0, 0.0), (1.0, 0.1, 0.0), (1.0, 0.0, 0.05)):
        assert margin_loss(cosine, target, margins, 4.0) > plain + 1e-3


@pytest.mark.parametrize("value", [1.0, -1.0, 1.0 + 1e-6, -1.0 - 1e-6])
@pytest.mark.parametrize("margins", [PAPER, (1.05, 0.3, 0.05), (1.0, 0.0, 0.0)])
def test_gradients_are_finite_at_the_ends(value: float, margins: tuple[float, float, float]) -> None:
    unsafe = torch.tensor([value], requires_grad=True)
    torch.acos(unsafe).sum().backward()
    assert not bool(torch.isfinite(unsafe.grad).all()), "the plain arc cosine is not finite here"
    cosine = torch.tensor([[value, 0.2], [0.4, value]], requires_grad=True)
    loss = margin_loss(cosine, torch.tensor([0, 1]), margins, 32.0)
    loss.backward()
    assert bool(torch.isfinite(loss))
    assert bool(torch.isfinite(cosine.grad).all())


def test_gradient_raises_the_true_cosine() -> None:
    cosine = torch.tensor([[0.3, 0.2, 0.1]], requires_grad=True)
    margin_loss(cosine, torch.tensor([0]), PAPER, 8.0).backward()
    assert cosine.grad[0, 0] < 0 < cosine.grad[0, 1]
