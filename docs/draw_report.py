"""Photographs the page of docs/report.md: ``python docs/draw_report.py DEMO``.

DEMO is the folder that ``cender demo --out DEMO`` made; a chromium must be installed (CENDER_CHROMIUM names one).
"""

import os
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from cender.report import write_report

PICTURE = Path(__file__).parent / "figures" / "report.png"
SHOWN = ("#glance", "#figure-frames_1", "#figure-passage")
"""What is photographed, one below the other."""


def photograph(page: Path) -> list[Image.Image]:
    """Pictures of the parts of a page."""
    with sync_playwright() as playwright:
        path = os.environ.get("CENDER_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": 1000, "height": 900}, color_scheme="light")
        window.goto(page.absolute().as_uri())
        return [Image.open(BytesIO(window.locator(part).screenshot())).convert("RGB") for part in SHOWN]


def main() -> None:
    """Write the page anew and photograph it."""
    if len(sys.argv) != 2:
        raise SystemExit("give the folder that `cender demo --out DEMO` made")
    parts = photograph(write_report(Path(sys.argv[1]) / "run"))
    sheet = Image.new("RGB", (max(part.width for part in parts), sum(part.height + 12 for part in parts)), "white")
    top = 0
    for part in parts:
        sheet.paste(part, (0, top))
        top += part.height + 12
    sheet.quantize(96, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
