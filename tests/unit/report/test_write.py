"""The page: complete, self-contained, the same for the same folder, and honest about what is missing."""

import json
import re
import shutil
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from cases.haste import leave_out_figures
from cender.cli.report import report as report_command
from cender.errors import DataError
from cender.io import open_folder
from cender.plots.report.style import Picture
from cender.report import pictures, write_report
from cender.report.digest import digest_run
from cender.report.folder import read_folder
from cender.report.samples import gather_samples
from cender.report.write import FIGURES
from cender.types import Traces

HOSTILE = "<script>alert(1)</script>\"'$\\frac{&线"
SECTIONS = ("glance", "volumes", "frames", "activity", "identities", "annotate", "speed", "methods", "run")
VOID = {"meta", "img", "br", "hr"}


class Page(HTMLParser):
    """Reads a page and keeps its elements; an element that is not closed in its turn fails."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def hostile(made_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete run in which every text that a user or a file can choose is hostile, and its report."""
    folder = tmp_path_factory.mktemp("hostile") / "<b>worm & co"
    shutil.copytree(made_run, folder)
    run = open_folder(folder)
    named = run.load_table("traces")["identity"].unique().sort().to_list()
    lines = "".join(f'{identity},"{HOSTILE.replace(chr(34), chr(34) * 2)}{identity}",\n' for identity in named)
    (folder / "identities.csv").write_text(f"identity,name,note\n{lines}", encoding="utf-8")
    volumes = run.load_table("volumes")
    reason = pl.when(pl.col("status") == "ok").then(pl.col("reason")).otherwise(pl.lit(HOSTILE))
    run.save_table("volumes", volumes.with_columns(reason=reason))
    run.save_settings({"models": {HOSTILE: HOSTILE}, "detect": {"method": HOSTILE}, "versions": {"numpy": HOSTILE}})
    text = (folder / "run.toml").read_text(encoding="utf-8")
    (folder / "run.toml").write_text(f"{text}\nstrain = '''{HOSTILE}'''\n", encoding="utf-8")
    write_report(folder)
    return folder


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that look at words."""
    leave_out_figures(monkeypatch)


def read_page(folder: Path) -> Page:
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def test_every_section_is_there(hostile: Path) -> None:
    page = read_page(hostile)
    assert tuple(attributes["id"] for attributes in page.all("section")) == SECTIONS
    anchors = {attributes["id"] for _, attributes in page.found if "id" in attributes}
    links = {attributes["href"] for attributes in page.all("a")}
    assert {link for link in links if link and link.startswith("#")} <= {f"#{anchor}" for anchor in anchors}


def test_every_figure_is_on_the_page_and_in_the_folder(hostile: Path) -> None:
    page = read_page(hostile)
    drawn = set(FIGURES) - {"bleaching"}
    assert "Bleaching of red was not corrected" in page.text, "three seconds are too short to see it"
    assert len(page.all("img")) == len(drawn)
    assert {path.name for path in (hostile / "figures").iterdir()} == {
        f"{name}.{kind}" for name in drawn for kind in ("png", "svg")
    }
    assert page.all("a")
    assert not [link for link in page.all("a") if not str(link["href"]).startswith("#")], "links die when it is mailed"
    assert "cender annotate" in page.text
    assert (hostile / "figures/traces.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (hostile / "figures/traces.svg").read_bytes()[:2000]


def test_every_sample_says_how_its_own_volume_is_opened(hostile: Path) -> None:
    facts = read_folder(hostile)
    presence = digest_run(facts).presence
    assert presence is not None
    samples, _ = gather_samples(facts, presence)
    raw = (hostile / "report.html").read_text(encoding="utf-8")
    captions = [unescape(one) for one in re.findall(r"<figcaption>(.*?)</figcaption>", raw, re.DOTALL)]
    offered = [words for one in captions for words in re.findall(r"cender annotate .+ --volume \d+", one)]
    assert offered == [f"cender annotate '{hostile.name}' --volume {sample.volume}" for sample in samples]
    assert len({sample.volume for sample in samples}) > 1


def test_page_needs_nothing_else(hostile: Path) -> None:
    page = read_page(hostile)
    assert all(str(image["src"]).startswith("data:image/") for image in page.all("img"))
    assert page.all("link") + page.all("iframe") == []
    assert re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", (hostile / "report.html").read_text("utf-8")) == []


def test_nothing_runs_but_our_own_script(hostile: Path) -> None:
    raw, page = (hostile / "report.html").read_text(encoding="utf-8"), read_page(hostile)
    (script,) = re.findall(r"<script>(.*?)</script>", raw, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    (policy,) = (one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert f"script-src 'sha256-{digest}'" in str(policy)
    assert page.all("script") == [{}]


def test_what_lies_under_the_pointer_is_named(hostile: Path) -> None:
    raw = (hostile / "report.html").read_text(encoding="utf-8")
    words = [unescape(one) for one in re.findall(r"<rect[^>]*><title>(.*?)</title>", raw)]
    assert any(HOSTILE in one and "(identity " in one and "probability" in one for one in words), (
        "neurons of the frames"
    )
    assert any("valid in" in one for one in words), "rows of the map of activity"
    assert "no identity" in words
    places = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)">', raw)
    assert len(places) == len(words)
    for x, y, w, h in places:
        assert 0 <= float(x) <= float(x) + float(w) <= 100.01
        assert 0 <= float(y) <= float(y) + float(h) <= 100.01


def test_a_single_volume_is_said_and_nothing_is_drawn_through_time(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("timings")
    run = open_folder(folder)
    for name in ("volumes", "neurons", "regions", "traces"):
        run.save_table(name, run.load_table(name).filter(pl.col("volume") == 4))
    page = Page(write_report(folder).read_text(encoding="utf-8"))
    assert "This run has a single volume" in page.text
    assert not re.search(r"\b1 (volumes|identities|traces|neurons)\b", page.text)
    assert [one["id"] for one in page.all("figure")] == ["figure-frames_1"]


def test_hostile_text_stays_text(hostile: Path) -> None:
    raw, page = (hostile / "report.html").read_text(encoding="utf-8"), read_page(hostile)
    assert raw.count("<script") == 1, "ours"
    assert "<b>worm" not in raw
    assert page.text.count(HOSTILE) >= 5
    assert "<b>worm & co" in page.text
    assert not any(name.startswith("on") for _, attributes in page.found for name in attributes)


def test_page_is_accessible(hostile: Path) -> None:
    page = read_page(hostile)
    assert page.all("html") == [{"lang": "en"}]
    assert all(image["alt"] for image in page.all("img"))
    assert len(page.all("caption")) == len(page.all("table"))
    levels = [int(name[1]) for name, _ in page.found if re.fullmatch(r"h[1-6]", name)]
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_same_folder_gives_same_bytes(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("traces", "neurons")
    first = write_report(folder).read_bytes()
    figure = (folder / "figures/volumes.svg").read_bytes()
    assert write_report(folder).read_bytes() == first
    assert (folder / "figures/volumes.svg").read_bytes() == figure


@pytest.mark.parametrize("table", ["volumes", "neurons", "regions", "traces", "timings"])
def test_a_missing_table_is_said(table: str, copy_run: Callable[..., Path]) -> None:
    # What takes long to draw and is not looked at here is missing, too.
    kept = {"volumes": "regions", "neurons": "regions", "regions": "neurons"}.get(table, "")
    others = sorted({"neurons", "regions", "traces"} - {table, kept})
    page = Page(write_report(copy_run(table, *others)).read_text(encoding="utf-8"))
    assert f"the folder has no {table}.parquet" in page.text
    assert tuple(attributes["id"] for attributes in page.all("section")) == SECTIONS


def test_recording_that_is_gone_is_said_and_neurons_are_drawn_without_it(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("traces", "timings")
    run = open_folder(folder)
    run.save_settings({"recording": {**run.load_settings()["recording"], "source": "gone.tif"}})
    page = Page(write_report(folder).read_text(encoding="utf-8"))
    assert "gone.tif: there is no such file or folder" in page.text
    assert "The recording itself cannot be shown" in page.text
    assert (folder / "figures/frames_1.png").is_file()


def test_run_without_identities_and_green(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("regions")
    run = open_folder(folder)
    run.save_table("neurons", run.load_table("neurons").with_columns(identity=-1, probability=None, green=None))
    run.save_table("traces", run.load_table("traces").with_columns(green=None, ratio=None, dr_r0=None, valid=False))
    page = Page(write_report(folder).read_text(encoding="utf-8"))
    assert "No neuron has an identity yet" in page.text
    assert "There is no ratio, only brightness in red" in page.text
    assert "neurons has an identity" in page.text
    assert "Not a result yet: no neuron has an identity" in page.text


@pytest.mark.usefixtures("no_figures")
def test_doubts_and_recording_are_at_the_top(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("traces", "regions", "timings")
    open_folder(folder).save_settings({"doubts": {"said": ["5 of 6 volumes have no identity"]}})
    page = Page(write_report(folder).read_text(encoding="utf-8"))
    assert -1 < page.text.index("5 of 6 volumes have no identity") < page.text.index("What deserves a look")
    assert "expected to be right" not in page.text
    source = Path(open_folder(folder).load_settings()["recording"]["source"]).name
    assert f"{folder.name}: {source}" in page.text


@pytest.mark.usefixtures("no_figures")
def test_first_is_how_far_identities_can_be_trusted(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("traces", "regions", "timings")
    open_folder(folder).save_settings({"trust": {"said": "About 86 % of the identities are expected to be right."}})
    text = Page(write_report(folder).read_text(encoding="utf-8")).text
    assert -1 < text.index("About 86 % of the identities") < text.index("What deserves a look")


def test_bleaching_is_drawn_where_it_can_be_seen(made_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "render_figure", lambda *_, **__: Picture(b"", b"", 0))
    time_s = np.linspace(0, 200, 400)
    light = np.exp(-time_s / 80)[None] * np.linspace(50, 150, 20)[:, None]
    flat, index = np.ones_like(light), np.arange(400)
    traces = Traces(np.arange(20), index, time_s, light, light, flat, flat - 1, flat, flat > 0)
    facts = replace(read_folder(made_run), traces=traces, volumes=None, neurons=None, timings=None)
    drawn, _ = pictures.draw_all(facts, digest_run(facts))
    assert [one.name for one in drawn] == ["heat_map", "traces", "motion", "bleaching"], "no neurons, no passage"


def test_figures_of_an_earlier_report_go(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("neurons", "traces")
    (folder / "figures").mkdir()
    for name in ("traces.svg", "mine.png"):
        (folder / "figures" / name).write_bytes(b"old")
    write_report(folder)
    assert not (folder / "figures/traces.svg").exists()
    assert (folder / "figures/mine.png").read_bytes() == b"old"


def test_folder_that_cannot_be_written_is_said(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("neurons", "traces")
    (folder / "figures").write_bytes(b"in the way")
    with pytest.raises(DataError, match="the figures cannot be written to"):
        write_report(folder)


def test_command_says_where_the_page_is(copy_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import typer

    folder = copy_run("neurons", "traces")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    app = typer.Typer()
    app.command()(report_command)
    result = CliRunner().invoke(app, [str(folder), "--open"])
    assert result.exit_code == 0, result.output
    assert (folder / "report.html").is_file()
    assert opened == [(folder / "report.html").resolve().as_uri()]
    spoken = CliRunner().invoke(app, [str(folder), "--json"])
    assert json.loads(spoken.stdout) == {"report": str(folder / "report.html")}


@pytest.mark.usefixtures("no_figures")
def test_names_of_the_machine_stand_apart_from_those_of_people(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("regions", "timings")
    first, second = open_folder(folder).load_table("traces")["identity"].unique().sort().to_list()[:2]
    (folder / "identities.csv").write_text(f"identity,name,note\n{first},AVAL,\n", encoding="utf-8")
    rows = f"{first},RIS,0.97,machine\n{second},AVAR,0.83,machine\n"
    (folder / "names.csv").write_text(f"identity,name,probability,source\n{rows}", encoding="utf-8")
    write_report(folder)
    text = read_page(folder).text
    assert "AVAR (0.83)" in text
    assert "AVAL" in text
    assert "RIS (" not in text
