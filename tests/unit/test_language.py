"""Plain English, and one meaning per word, wherever people read: pages, docstrings, comments, messages, examples."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
THINGS = (
    "array|bar|box|cell|channel|class|colour|column|curve|dataset|description|dot|file|frame|image|letter|line|list|"
    "name|network|number|ome-tiff|panel|patch|picture|point|probability|process|region|row|score|table|thread|tiff|"
    "value|violin|volume|word"
)
EACH = (
    "animal|channel|class|column|core|dataset|file|format|frame|group|head|identity|lab|method|neuron|panel|pixel|"
    "preset|recording|region|row|run|split|stage|volume|worker"
)
STUMBLING = re.compile(
    rf"\bnobody\b|\b(?:one|an?)\s+(?:{THINGS})\s+an?\s+(?:{EACH})\b|\bone\s+an?\s+(?:{EACH})\b", re.I
)
"""Words and turns that English does not have, or that a text should not need: "one row per neuron" is plain."""
PLACES = ("*.md", "docs/*.md", "docs/*.py", "examples/*.py", "src/**/*.py")
TEXTS = sorted(path for place in PLACES for path in REPOSITORY.glob(place))

NAMED = re.compile(r"\b_?(?:un)?named\b|\b(?:right|wrong|same) names?\b|\} names\b", re.I)
"""A name is AVAL; what recognition gives is an identity."""
RECOGNITION = sorted(
    path
    for place in ("recognize/**/*.py", "evaluate/*.py", "plots/identity.py", "plots/evaluation.py")
    for path in (REPOSITORY / "src/cender").glob(place)
)


def test_texts_are_found() -> None:
    assert {path.name for path in TEXTS} > {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "own_data.py", "head.py"}
    assert len(RECOGNITION) > 20


@pytest.mark.parametrize(
    "words",
    ["The table has a row a neuron.", "integers of one number\n    a pixel", "One panel a run", "as nobody has"],
)
def test_stumbling_would_be_noticed(words: str) -> None:
    assert STUMBLING.search(words)


def test_plain_english() -> None:
    found = {path.name: [match[0] for match in STUMBLING.finditer(path.read_text(encoding="utf-8"))] for path in TEXTS}
    assert {name: words for name, words in found.items() if words} == {}


def test_recognition_gives_identities_not_names() -> None:
    assert NAMED.search("neurons that are named right")
    found = {path.name: NAMED.findall(path.read_text(encoding="utf-8")) for path in RECOGNITION}
    assert {name: words for name, words in found.items() if words} == {}
    page = (REPOSITORY / "docs/evaluation.md").read_text(encoding="utf-8")
    assert NAMED.findall(page) == []
