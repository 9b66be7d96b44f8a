"""Reading a run folder and writing its page and figures."""

import logging
from pathlib import Path

from cender.errors import DataError
from cender.io.atomic import write_bytes, write_text
from cender.report.attention import list_points
from cender.report.digest import Digest, digest_run
from cender.report.figures import write_figures
from cender.report.folder import Gap, RunFacts, read_folder
from cender.report.glance import write_glance
from cender.report.html import Html, join, tag
from cender.report.methods import write_methods
from cender.report.page import Section, write_page
from cender.report.pictures import Illustration, draw_all
from cender.report.sections import (
    write_activity,
    write_identities,
    write_legend,
    write_methods_box,
    write_provenance,
    write_speed,
    write_suggestions,
    write_volumes,
)

_LOG = logging.getLogger(__name__)
FIGURES = (
    "volumes",
    "presence",
    *(f"frames_{n}" for n in range(1, 4)),
    "heat_map",
    "traces",
    "passage",
    "motion",
    "bleaching",
    "speed",
)


def write_report(path: Path | str) -> Path:
    """Write ``report.html`` and ``figures/`` into a run folder; returns the page.

    The page is one file that needs no network and shows whatever the folder holds; what it lacks (no green channel,
    no identities, a recording that has moved) is said on the page. Nothing else in the folder is touched, so that a
    report can be made while a run is going on. The same folder gives the same bytes.

    Parameters
    ----------
    path
        A run folder with at least one table.
    """
    path = Path(path)
    facts = read_folder(path)
    digest = digest_run(facts)
    illustrations, gaps = draw_all(facts, digest)
    gaps = [*facts.gaps, *gaps]
    for gap in gaps:
        _LOG.info("report of %s lacks %s: %s", path, gap.what, gap.why)
    source = facts.settings.get("recording", {}).get("source", "recording not known")
    title = f"{facts.run.path.resolve().name}: {Path(str(source)).name}"
    page = write_page(title, str(source), _compose(facts, digest, illustrations, gaps))
    _save_figures(facts.run.path / "figures", illustrations)
    write_text(facts.run.path / "report.html", page)
    return facts.run.path / "report.html"


def _compose(facts: RunFacts, digest: Digest, illustrations: list[Illustration], gaps: list[Gap]) -> list[Section]:
    def figures(section: str) -> Html:
        return write_figures(illustrations, section)

    points = list_points(facts, digest)
    none = tag("p", "There is no volume with neurons to show.", class_="nothing")
    frames = join(write_legend(), figures("frames")) if figures("frames") else none
    return [
        Section("glance", "At a glance", write_glance(facts, digest, points, gaps)),
        Section("volumes", "Volumes", join(write_volumes(facts), figures("volumes"))),
        Section("frames", "Sample frames", frames),
        Section("activity", "Activity", join(write_activity(facts, digest), figures("activity"))),
        Section("identities", "Identities", join(figures("identities"), write_identities(facts, digest))),
        Section("annotate", "What to annotate next", write_suggestions(facts, digest)),
        Section("speed", "Speed", write_speed(facts, digest, figures("speed"))),
        Section("methods", "Methods paragraph", write_methods_box(write_methods(facts, digest.bleaching))),
        Section("run", "What was run", write_provenance(facts)),
    ]


def _save_figures(folder: Path, illustrations: list[Illustration]) -> None:
    """Write the figures, and remove those of an earlier report that this one does not have."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise DataError(f"the figures cannot be written to {folder}: {error.strerror}") from error
    for one in illustrations:
        write_bytes(folder / f"{one.name}.png", one.picture.png)
        write_bytes(folder / f"{one.name}.svg", one.picture.svg)
    drawn = {one.name for one in illustrations}
    for name in FIGURES:
        if name not in drawn:
            for suffix in (".png", ".svg"):
                (folder / f"{name}{suffix}").unlink(missing_ok=True)
