"""The page of a report as a file of its own: figures are enlarged and say what lies under the pointer."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from cases.runs import build_run
from cender.report import write_report

SHEET = "#figure-frames_1 .sheet"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    page = write_report(build_run(folder, volumes=3).path)
    return page.rename(folder / "mailed.html")


def measure_scale(page: Page) -> float:
    """How far the first figure is enlarged."""
    scale: float = page.evaluate(
        f"() => new DOMMatrix(getComputedStyle(document.querySelector('{SHEET}')).transform).a"
    )
    return scale


def test_figures_are_enlarged_and_say_what_lies_under_the_pointer(report: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(report.as_uri())
    figure = page.locator("#figure-frames_1")
    figure.scroll_into_view_if_needed()
    assert measure_scale(page) == 1
    figure.get_by_role("button", name="enlarge").click()
    assert measure_scale(page) == pytest.approx(1.6)
    figure.get_by_role("button", name="reduce").click()
    assert measure_scale(page) == 1
    view: Any = figure.locator(".view").bounding_box()
    page.mouse.dblclick(view["x"] + view["width"] / 3, view["y"] + view["height"] / 2)
    assert measure_scale(page) == 2
    page.mouse.wheel(0, -200)
    page.wait_for_function(f"() => new DOMMatrix(document.querySelector('{SHEET}').style.transform).a > 3")
    figure.get_by_role("button", name="show all").click()
    assert measure_scale(page) == 1
    spot = figure.locator(".spots rect").first
    assert spot.locator("title").count() == 0, "ours instead of the browser's"
    spot.hover()
    assert figure.locator(".tip").inner_text() == spot.get_attribute("data-words")
    page.mouse.move(2, 2)
    assert figure.locator(".tip").is_hidden()
    assert not errors
    page.close()
