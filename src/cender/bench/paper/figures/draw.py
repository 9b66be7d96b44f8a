"""All figures of the paper by their numbers, drawn into a folder."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cender.bench.paper.figures import images, recognition
from cender.bench.paper.figures.recognition import FULL, QUICK, QUICK_EPOCHS, Curves
from cender.bench.paper.figures.scene import Scene
from cender.bench.paper.items import Figures, Item
from cender.bench.paper.lanes import Lanes, measure_in_lanes
from cender.config import Config
from cender.errors import ConfigError
from cender.io.measured import Measured
from cender.io.results.folder.fingerprints import hash_weights
from cender.plots.style import save_figure

TITLES = {
    "1": "The pipeline",
    "2": "Pre-processing",
    "3": "Multi-field detection",
    "4": "3D merging",
    "5": "Relative position and appearance",
    "6": "Features and network of recognition",
    "7": "The system: from red and green to activity",
    "8": "Embedding and accuracy within an animal",
    "9": "Accuracy across animals",
    "10": "Speed",
    "S1": "Sizes of regions",
    "S2": "Clusters in the embedding",
    "S3": "Regions with identities",
}
# Core seconds of every figure in the quick form, and what it shares with others: curves of both methods, the trained
# model of one animal, or its images alone.
GROUPS = {
    **dict.fromkeys(("1", "6"), (25, "model")),
    **dict.fromkeys(("S2", "S3"), (2, "model")),
    **dict.fromkeys(("2", "4", "S1"), (1, "images")),
    **dict.fromkeys(("3", "5", "7", "10"), (8, "images")),
    **dict.fromkeys(("8", "9"), (70, "curves")),
}

SHOWN = {
    **dict.fromkeys(("1", "7", "10", "S3"), ("dense", "orientation", "examiner")),
    "3": ("multi_field", "orientation"),
    "9": ("matcher",),
}
"""Shipped weights that a figure shows the work of."""
WEIGHTS_FILE = "weights.json"
"""Beside the figures: the weights that each of them was drawn with."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Which figures are drawn, how much is measured for them, and what is at hand."""

    only: Sequence[str] = ()
    full: bool = False
    data: Path | None = None
    kept: Mapping[str, Measured] | None = None
    machine: str = "this machine"


def draw_figures(
    folder: Path, config: Config, wish: Wish, on_figure: Callable[[str], None] = lambda number: None, lanes: int = 1
) -> dict[str, Path]:
    """Draw the paper's figures as PNG files ``figure-1.png`` … ``figure-S3.png``, and say where they are.

    The weights that they were drawn with are noted beside them.

    Parameters
    ----------
    on_figure
        Told the number of every figure that is finished.
    lanes
        Processes that draw at the same time; figures that share a training are drawn by the same one.
    """
    unknown = [number for number in wish.only if number not in TITLES]
    if unknown:
        raise ConfigError(f"--only expects figures of the paper ({', '.join(TITLES)}); found {', '.join(unknown)}")
    make_items = partial(_list_items, folder, config, wish)
    drawn = measure_in_lanes(make_items(), Lanes(lanes, make_items), None, {}, lambda done: on_figure(done.key))
    _note_weights(folder / WEIGHTS_FILE, drawn)
    return {number: Path(one.figures["path"]) for number, one in drawn.items()}


def find_stale(folder: Path) -> list[str]:
    """Figures of a folder that were drawn with other weights than those that are shipped now."""
    noted = json.loads((folder / WEIGHTS_FILE).read_text(encoding="utf-8"))
    return [number for number in SHOWN if noted.get(number) != _hash_shown(number)]


def _note_weights(path: Path, drawn: Iterable[str]) -> None:
    shown = {number: _hash_shown(number) for number in drawn if number in SHOWN}
    if not shown:
        return
    noted = {**(json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}), **shown}
    path.write_text(json.dumps(noted, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _hash_shown(number: str) -> dict[str, str]:
    return {name: hash_weights(None, name) for name in SHOWN[number]}


def _list_items(folder: Path, config: Config, wish: Wish) -> list[Item]:
    """One for each figure that is asked for; all that they show is made when the first of them is drawn."""
    scene = Scene(config if wish.full else _shorten(config), 30 if wish.full else 20)
    curves = Curves(scene, FULL if wish.full else QUICK, wish.data, wish.kept or {})
    return [
        Item(number, partial(_save, draw, folder / f"figure-{number}.png"), {}, *GROUPS[number])
        for number, draw in _list_drawings(scene, curves, wish.machine).items()
        if not wish.only or number in wish.only
    ]


def _save(draw: Callable[[], Any], path: Path) -> Figures:
    save_figure(draw(), path, compact=True)
    return {"path": str(path)}


def _shorten(config: Config) -> Config:
    """The settings with fewer epochs of the paper's recognizer, unless somebody has set their number."""
    paper = config.recognize.paper
    if paper.epochs != type(paper)().epochs:
        return config
    fewer = config.recognize.model_copy(update={"paper": paper.model_copy(update={"epochs": QUICK_EPOCHS})})
    return config.model_copy(update={"recognize": fewer})


def _list_drawings(scene: Scene, curves: Curves, machine: str) -> dict[str, Callable[[], Any]]:
    return {
        "1": lambda: images.draw_figure_1(scene),
        "2": lambda: images.draw_figure_2(scene),
        "3": lambda: images.draw_figure_3(scene),
        "4": lambda: images.draw_figure_4(scene),
        "5": lambda: images.draw_figure_5(scene),
        "6": lambda: recognition.draw_figure_6(scene),
        "7": lambda: images.draw_figure_7(scene),
        "8": lambda: recognition.draw_figure_8(scene, curves),
        "9": lambda: recognition.draw_figure_9(curves),
        "10": lambda: recognition.draw_figure_10(scene, curves, machine),
        "S1": lambda: recognition.draw_figure_s1(scene),
        "S2": lambda: recognition.draw_figure_s2(scene),
        "S3": lambda: images.draw_figure_s3(scene),
    }
