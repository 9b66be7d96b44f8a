"""The paper's figures: every number is drawn, from data that its panels belong to."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from cender.bench.identity import memory
from cender.bench.paper.figures import draw, images, recognition
from cender.bench.paper.figures.draw import GROUPS, TITLES, Wish, _list_drawings, draw_figures, find_stale
from cender.bench.paper.figures.recognition import BRIEF, QUICK, Curves, Extent
from cender.bench.paper.figures.scene import Scene
from cender.bench.paper.lanes import Lanes
from cender.config import Config
from cender.errors import ConfigError
from cender.io.measured import Measured
from cender.plots.identity import Curve
from cender.plots.paper.recognition import Embedded, Followed, draw_across, draw_clusters, draw_recognition
from cender.plots.style import save_figure
from cender.preprocess.paper import trace_head
from cender.simulate import SimulateParams
from cender.types import Crop

SMALL = Config(
    simulate=SimulateParams(preset="easy", volumes=4, shape=(10, 200, 200), voxel_um=(2.5, 0.5, 0.5), seed=3)
)


def make_space(classes: int = 6, each: int = 9) -> Embedded:
    """Tight clusters around directions."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(classes, 8))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    points = np.repeat(directions, each, axis=0) + rng.normal(0, 0.05, (classes * each, 8))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Embedded(directions, points, np.repeat(np.arange(classes), each), np.arange(classes))


def count_trainings(monkeypatch: pytest.MonkeyPatch, home: ModuleType, name: str) -> list[int]:
    """How many volumes each training learns from that is done from now on."""
    learnt: list[int] = []
    train = getattr(home, name)

    def count(annotated: list, *rest: object) -> object:
        learnt.append(len(annotated))
        return train(annotated, *rest)

    monkeypatch.setattr(home, name, count)
    return learnt


def test_every_figure_of_the_paper_has_a_drawing() -> None:
    scene = Scene(SMALL)
    assert list(_list_drawings(scene, Curves(scene, QUICK, None, {}), "here")) == list(TITLES)
    assert list(TITLES) == [*map(str, range(1, 11)), "S1", "S2", "S3"]


def test_stages_are_drawn_in_files_of_their_number(tmp_path: Path) -> None:
    told: list[str] = []
    written = draw_figures(tmp_path, SMALL, Wish(("2", "4", "S1")), told.append)
    assert told == ["2", "4", "S1"]
    assert {path.name for path in tmp_path.iterdir()} == {"figure-2.png", "figure-4.png", "figure-S1.png"}
    for path in written.values():
        with Image.open(path) as picture:
            assert min(picture.size) > 200
            assert len(picture.convert("L").getcolors() or []) > 20, "an empty picture"


def test_figures_know_the_weights_that_they_were_drawn_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "_list_drawings", lambda *given: dict.fromkeys(TITLES, lambda: None))
    monkeypatch.setattr(draw, "save_figure", lambda figure, path, compact: None)
    draw_figures(tmp_path, SMALL, Wish())
    assert find_stale(tmp_path) == []
    monkeypatch.setattr(draw, "hash_weights", lambda path, name: f"another {name}")
    draw_figures(tmp_path, SMALL, Wish(("3",)))
    assert find_stale(tmp_path) == ["1", "7", "10", "S3", "9"], "all but the one that was drawn again"


def test_the_figures_of_the_documents_show_the_weights_of_now() -> None:
    stale = find_stale(Path(__file__).parents[4] / "docs" / "figures" / "paper")
    again = " ".join(f"--only {number}" for number in stale)
    assert not stale, f"cender bench figures docs/figures/paper --data FOLDER --rows docs/tables.jsonl {again}"


def test_another_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--only expects figures of the paper.*found 11"):
        draw_figures(tmp_path, SMALL, Wish(("11",)))


def test_the_steps_of_stage_1_lead_to_its_head() -> None:
    scene = Scene(SMALL)
    steps = trace_head(scene.red, scene.voxel_um)
    assert steps.chosen.sum() >= steps.bright.sum() / len(steps.contours)
    rows = steps.points.astype(int)
    assert steps.chosen[rows[:, 0], rows[:, 1]].all(), "points of interest lie in the head"
    assert np.allclose(scene.paper_head.origin_yx, steps.origin_yx)


def test_kept_rows_are_points_of_the_curves() -> None:
    kept = {
        key: Measured(key, {"accuracy": value}, {}, {})
        for key, value in {"NeRVE, 80, paper": 0.84, "NeRVE, 1, default": 0.7, "typical, blocked, paper": 0.5}.items()
    }
    curves = Curves(Scene(SMALL), QUICK, None, kept)
    found = {one.method: (one.volumes, one.accuracy) for one in curves.list_curves([], "NeRVE")}
    assert found == {"paper": ((80,), (0.84,)), "default": ((1,), (0.7,))}
    assert Curves(Scene(SMALL), QUICK, None, {}).list_curves([], "NeRVE") == []


def test_times_of_stages_stand_beside_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = {"stages_ms": {"preprocess": 20.0, "detect": 100.0, "merge": 10.0}}
    monkeypatch.setattr(recognition, "measure_stages", lambda params, rounds, clock: stages)
    scene = Scene(SMALL)
    curves = Curves(scene, QUICK, None, {"typical, 1, default": Measured("", {"ms_per_volume": 30.0}, {}, {})})
    (ax,) = recognition.draw_figure_10(scene, curves, "here").axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["preprocess", "detect", "merge", "recognize", "all"]
    shown = {text.get_text().strip() for text in ax.texts}
    assert {"20", "100", "10", "30", "160"} <= shown, "ours, and their sum"
    assert {"556", "50", "800"} <= shown, "those of the paper"


def test_the_picture_of_a_head_holds_all_of_its_neurons() -> None:
    boxes = np.array([[5.5, 60.0, 9.0, 9.0], [80.0, 20.0, 9.5, 9.0]])
    assert tuple(images._widen_crop(Crop(30, 30, 20, 20), boxes, (66, 200))) == (5, 20, 85, 46)
    assert tuple(images._widen_crop(Crop(30, 30, 20, 20), np.zeros((0, 4)), (66, 200))) == (30, 30, 20, 20)


def test_accuracy_across_animals_is_a_curve_of_both_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "FEW", 0)  # two epochs are enough here, however few volumes there are
    learnt = count_trainings(monkeypatch, recognition, "train_weights")
    brief = Config.model_validate({"train_recognizer": BRIEF, "recognize": {"paper": {"epochs": 2}}})
    scene = Scene(brief.model_copy(update={"simulate": SMALL.simulate}), train=2)
    curves = Curves(scene, Extent({"paper": (), "default": (1,)}, {}, (1, 2, 9), 2), None, {})
    assert curves.measure_own()[0].train == 1
    a, b = recognition.draw_figure_9(curves).axes
    assert learnt == [1], "what Fig 8 has learnt is used on the other animal"
    names = [text.get_text() for text in a.get_legend().get_texts()]
    assert sum("the paper's method" in name for name in names) == 1
    assert sum("ours" in name for name in names) == 1
    lines = {tuple(int(x) for x in line.get_xdata()) for line in a.lines if len(line.get_xdata())}
    assert {(1, 2), (1,)} <= lines, "one point for each number of volumes that there are, none for nine"
    assert [text.get_text() for text in b.get_xticklabels()] == ["paper,\nsimulated", "default,\nsimulated"]


def test_what_the_papers_method_learnt_within_the_animal_is_used_across(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "FEW", 0)  # two epochs are enough here, however few volumes there are
    learnt = count_trainings(monkeypatch, memory, "train_embedding")
    brief = Config.model_validate({"recognize": {"paper": {"epochs": 2}}})
    scene = Scene(brief.model_copy(update={"simulate": SMALL.simulate}), train=2)
    curves = Curves(scene, Extent({"paper": (1, 2)}, {}, (1, 2), 2), None, {})
    curves.measure_own()
    assert learnt == [1, 2]
    assert [one.train for one in curves.measure_across()] == [1, 2]
    assert learnt == [1, 2], "mixed numbers of the same volumes need no other network"


def test_figures_of_recognition_are_drawn(tmp_path: Path) -> None:
    space = make_space()
    curve = Curve("paper", "random", (3, 30), (0.5, 0.8), (float("nan"),) * 2)
    time, accuracy = np.arange(5.0), np.array([0.2, 0.9, 0.8, 0.7, 0.95])
    own = Followed("own", [curve], [], time, accuracy, "paper", "s", [("bend", np.eye(8))])
    figures = {
        "8": draw_recognition(space, own, None),
        "9": draw_across([curve], [], {"paper,\nsimulated": accuracy}, "another animal"),
        "S2": draw_clusters(space),
    }
    for number, figure in figures.items():
        save_figure(figure, tmp_path / f"{number}.png", compact=True)
    assert any("nerve.npz" in text.get_text() for text in figures["8"].texts), "what is not at hand is said"
    median = next(text.get_text() for ax in figures["S2"].axes for text in ax.texts if "median" in text.get_text())
    assert float(median.split()[1]) < 0.05, "tight clusters lie around their directions"


def test_figures_that_share_a_training_are_drawn_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(GROUPS) == set(TITLES), "every figure has its group"
    groups = {number: group for number, (_, group) in GROUPS.items()}
    assert groups["8"] == groups["9"], "curves of both methods"
    assert groups["1"] == groups["6"] == groups["S2"] == groups["S3"], "one trained model"
    seen: list[tuple[int, list[str]]] = []

    def measure(items: list, lanes: Lanes, *rest: object) -> dict:
        seen.append((lanes.count, [item.group for item in items]))
        return {}

    monkeypatch.setattr(draw, "measure_in_lanes", measure)
    draw.draw_figures(Path(), SMALL, Wish(("2", "8")), lanes=2)
    assert seen == [(2, ["images", "curves"])]
