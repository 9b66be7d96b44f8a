"""The paper's tables with its figures and its rivals', and ours measured here beside them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from cender.bench.detection.measure import measure_detection
from cender.bench.identity.measure import Measurement
from cender.bench.identity.methods import METHODS, Method
from cender.bench.identity.plan import Plan, open_cast, run_plan
from cender.bench.paper.published import DETECTION, FEATURES, NOT_RUN, PIPELINES, TRACKING
from cender.bench.speed.stages import measure_stages
from cender.config import Config
from cender.pipeline.volumes.detector import build_detector
from cender.simulate import SimulateParams

Cell = str | float | None
OnStep = Callable[[str], None]
POINTS_FILE = "nerve.npz"
POINTS_RATE_HZ = 6.0
PRESET = "typical"
WITHIN = 30


@dataclass(frozen=True, slots=True)
class Table:
    """A table of figures: percent, unless its column says otherwise; None where a figure does not exist."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Title, columns, rows and note."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is measured: a look at every table, or all that the documents print."""

    counts: tuple[int, ...]
    paper_counts: tuple[int, ...]
    repeats: int
    at_most: int | None
    animals: int
    volumes: int
    detectors: tuple[str, ...]


QUICK = Scope((1, 80), (), 1, 60, 2, 1, ("default",))
FULL = Scope((0, 1, 10, 80, 130), (80, 130), 3, None, 8, 2, ("default", "paper"))


def build_tables(config: Config, data: Path | None, full: bool, on_step: OnStep = lambda label: None) -> list[Table]:
    """All tables, measured one after the other.

    Parameters
    ----------
    config
        Settings of all stages; ``simulate`` is the preset and length of the simulated animals.
    data
        Folder of real data, with ``nerve.npz``; None leaves those rows out.
    full
        Everything as the documents print it (hours), or a look at it (minutes).
    """
    scope = FULL if full else QUICK
    simulated = measure_simulated(config, scope, on_step)
    points = None if data is None else data / POINTS_FILE
    real = measure_real(config, scope, points, on_step) if points is not None and points.is_file() else []
    tables = [
        make_tracking_table(simulated, real),
        make_speed_table(config, simulated, on_step),
        make_detection_table(config, scope, on_step),
        make_feature_table(measure_features(config, scope, on_step) if full else {}),
    ]
    return [*tables, list_missing(real=bool(real), full=full)]


def measure_simulated(config: Config, scope: Scope, on_step: OnStep) -> list[Measurement]:
    """Both methods within a simulated animal (blocked) and across two, on true regions."""
    plan = Plan(PRESET, (WITHIN,), ("blocked", "animals"), METHODS, repeats=scope.repeats, at_most=scope.at_most)
    return run_plan(plan, config, open_cast(plan, config), on_step)


def measure_real(config: Config, scope: Scope, points: Path, on_step: OnStep) -> list[Measurement]:
    """Ours, and where asked the paper's method, on the points of a real recording, split as the paper splits them."""
    done: list[Measurement] = []
    asked: tuple[tuple[Method, tuple[int, ...]], ...] = (("default", scope.counts), ("paper", scope.paper_counts))
    for method, counts in asked:
        if counts:
            plan = Plan(
                str(points),
                counts,
                ("random",),
                (method,),
                repeats=scope.repeats,
                rate_hz=POINTS_RATE_HZ,
                at_most=scope.at_most,
            )
            done += run_plan(plan, config, open_cast(plan, config), on_step)
    return done


def make_tracking_table(simulated: Sequence[Measurement], real: Sequence[Measurement]) -> Table:
    """Tracking methods: the paper's table, then what was measured here."""
    columns = ("task", "method", "test data", "accuracy", "training data", "volumes", "training", "s/volume", "source")
    rows: list[tuple[Cell, ...]] = [
        (t.task, t.method, t.test, t.accuracy, t.training, t.volumes, t.training_time, t.inference_s, "paper")
        for t in TRACKING
    ]
    for one in [*real, *simulated]:
        across = one.split == "animals"
        data = "NeRVE" if one in real else f"simulated {PRESET}"
        training = "another animal + 1 template" if across else f"{data}, {one.split}"
        rows.append(
            (
                "across" if across else "within",
                _name(one.method),
                data,
                _percent(one.average("accuracy")),
                training,
                str(one.train),
                f"{one.average('train_s') or 0:.0f} s",
                f"{(one.average('ms_per_volume') or 0) / 1e3:.3f}",
                "here",
            )
        )
    tested = {len(repeat.split.test) for one in [*real, *simulated] for repeat in one.repeats}
    trainings = len(simulated[0].repeats)
    note = f"Rows of source 'here': mean of {trainings} trainings, {min(tested)}–{max(tested)} test volumes."
    return Table("Tracking neurons within an animal and across animals", columns, tuple(rows), note)


def make_speed_table(config: Config, simulated: Sequence[Measurement], on_step: OnStep) -> Table:
    """Seconds a volume of whole pipelines, and of each of our stages beside the paper's."""
    stages = measure_stages(config.detect)
    on_step("speed of the stages")
    recognized = next(one.average("ms_per_volume") for one in simulated if one.method == "default")
    rows: list[tuple[Cell, ...]] = [(name, seconds, "paper") for name, seconds in PIPELINES.items()]
    total = stages["total_ms"] + (recognized or 0.0)
    rows.append(("cender, on this machine's CPU; loading and saving excluded", round(total / 1e3, 3), "here"))
    published = {"detect": 0.556, "merge": 0.050, "recognize": 0.02}
    for stage, milliseconds in {**stages["stages_ms"], "recognize": recognized or 0.0}.items():
        rows.append((f"… its stage {stage}", round(milliseconds / 1e3, 3), "here"))
        if stage in published:
            rows.append((f"… the paper's stage {stage}, on its GPU and 24 cores", published[stage], "paper"))
    return Table("Speed of the whole pipeline", ("method", "s/volume", "source"), tuple(rows))


def make_detection_table(config: Config, scope: Scope, on_step: OnStep) -> Table:
    """Detection and merging: the paper's table, then both detectors here."""
    columns = ("task", "data", "precision", "recall", "F1", "ms/volume", "source")
    rows: list[tuple[Cell, ...]] = []
    for found in DETECTION:
        for data, figures in (("C1", found.c1), ("C2/C3", found.c2_c3)):
            rows.append((f"{found.task}, anchors {found.anchors}", data, *figures, float(found.ms), "paper"))
    detectors = {
        name: build_detector(config.detect.model_copy(update={"method": name, "weights": None}))
        for name in scope.detectors
    }
    simulated = config.model_copy(update={"simulate": SimulateParams(preset=PRESET)})
    result = measure_detection(simulated, scope.animals, scope.volumes, detectors)
    on_step("detection")
    for name, task in result["tasks"].items():
        for key, label in (("detection_2d", "regions in frames"), ("detection_3d", "neurons")):
            if key == "detection_2d" and name not in detectors:
                continue
            shares = [_percent(task[key][figure]) for figure in ("precision", "recall", "f1")]
            rows.append((f"{label}, {name}", f"simulated {PRESET}", *shares, round(task["ms_per_volume"]), "here"))
    return Table("Detection and merging", columns, tuple(rows), result["split"])


def measure_features(config: Config, scope: Scope, on_step: OnStep) -> dict[tuple[str, str], list[Measurement]]:
    """The paper's method with neighbours and density from neurons or from boxes, on simulated animals."""
    done = {}
    plan = Plan(PRESET, (WITHIN,), ("random", "animals"), ("paper",), repeats=scope.repeats, at_most=scope.at_most)
    cast = open_cast(plan, config)
    for kinds in FEATURES:
        done[kinds] = run_plan(replace(plan, features=kinds), config, cast, on_step)
    return done


def make_feature_table(measured: dict[tuple[str, str], list[Measurement]]) -> Table:
    """Table S2: what neighbours and density are made of."""
    columns = ("neighbours", "density", "C1, paper", "C2/C3, paper", "within, here", "across, here")
    rows = []
    for kinds, published in FEATURES.items():
        ours = [_percent(one.average("accuracy")) for one in measured.get(kinds, [])] or [None, None]
        rows.append((*kinds, *published, *ours))
    note = f"Here: the paper's method on simulated {PRESET}, {WITHIN} annotated volumes." if measured else ""
    return Table("Features of neurons or of their boxes (the paper's Table S2)", columns, tuple(rows), note)


def list_missing(*, real: bool, full: bool) -> Table:
    """What could not be run, and why."""
    reasons = list(NOT_RUN)
    if not real:
        reasons.append(f"NeRVE: no {POINTS_FILE} in the folder that --data or CENDER_DATA names.")
    if not full:
        reasons.append("Table S2, the paper's method on NeRVE, further numbers of volumes and repeats: with --full.")
    return Table("What was not run, and why", ("reason",), tuple((reason,) for reason in reasons))


def _name(method: str) -> str:
    return "cender, ours" if method == "default" else "cender, the paper's method"


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)
