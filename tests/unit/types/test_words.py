"""Numbers agree with their nouns."""

import pytest

from cender.types.words import say_count


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [(1, "volume", "1 volume"), (0, "volume", "0 volumes"), (2, "identity", "2 identities"), (114, "box", "114 boxes")],
)
def test_numbers_agree_with_their_nouns(number: int, noun: str, said: str) -> None:
    assert say_count(number, noun) == said
