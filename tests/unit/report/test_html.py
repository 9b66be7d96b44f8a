"""Whatever is not markup by its type is escaped."""

from cender.report.html import Html, embed, join, list_items, table, tag

HOSTILE = "<script>alert('x')</script>&\"'"


def test_text_is_escaped_and_markup_is_kept() -> None:
    assert "<script>" in HOSTILE
    made = tag("p", HOSTILE, tag("b", "bold"))
    assert "<script>" not in made
    assert "&lt;script&gt;" in made
    assert "<b>bold</b>" in made
    assert isinstance(made, Html)


def test_attributes_are_escaped() -> None:
    made = tag("a", "x", href=f'"{HOSTILE}', class_="c", aria_label="l", title=None)
    assert made.count('"') == 6
    assert 'class="c"' in made
    assert 'aria-label="l"' in made
    assert "title" not in made


def test_void_elements_have_no_end() -> None:
    assert tag("img", alt="a") == '<img alt="a">'


def test_joined_text_is_escaped_too() -> None:
    assert join("a<", None, Html("<i>b</i>")) == "a&lt;<i>b</i>"
    assert "<script>" not in list_items([HOSTILE])
    assert "<script>" not in table((HOSTILE,), [(HOSTILE,)], HOSTILE)


def test_table_sets_numbers_right() -> None:
    made = table(("a", "b"), [("x", "1")], "caption", numeric=(1,))
    assert '<td class="number">1</td>' in made
    assert "<td>x</td>" in made


def test_file_becomes_its_own_address() -> None:
    assert embed(b"abc", "image/png") == "data:image/png;base64,YWJj"
