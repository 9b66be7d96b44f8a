"""A number that stands at the top of a module says what it is."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "cender"


def is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return is_number(value.left) or is_number(value.right)
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(is_number, value.elts))
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def find_silent(text: str) -> Iterator[str]:
    """Names of numbers that neither a sentence below nor a comment above them or their group explains."""
    lines, body = text.splitlines(), ast.parse(text).body
    for place, node in enumerate(body):
        if not isinstance(node, ast.Assign) or not is_number(node.value):
            continue
        below = body[place + 1] if place + 1 < len(body) else None
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            continue
        first = place
        while (
            first and isinstance(body[first - 1], ast.Assign) and body[first - 1].end_lineno == body[first].lineno - 1
        ):
            first -= 1
        if not lines[body[first].lineno - 2].startswith("#"):
            yield ast.unparse(node.targets[0])


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ("FEWEST = 3\n", ["FEWEST"]),
        ('FEWEST = 3\n"""Neurons."""\nMOST = 4\n', ["MOST"]),
        ("# Fewest and most neurons.\nFEWEST = 3\nMOST = 4\n\nLEAST = -0.5\n", ["LEAST"]),
        ('NEAR, FAR = 3.0 / UNIT, 2**20\nNAME = "worm"\n', ["(NEAR, FAR)"]),
    ],
)
def test_a_number_without_a_sentence_is_noticed(text: str, silent: list[str]) -> None:
    assert list(find_silent(text)) == silent


def test_every_number_says_what_it_is() -> None:
    found = {path.relative_to(SOURCE).as_posix(): list(find_silent(path.read_text())) for path in SOURCE.rglob("*.py")}
    assert {name: silent for name, silent in found.items() if silent} == {}
