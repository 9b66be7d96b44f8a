"""The paper's eight tables in its own numbering: every published row, and ours under it on the same data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cender.bench.paper.measurements import CHAUDHARY, HEADS_FILE, OWN, POINTS_FILE, PRESET, WITHIN
from cender.bench.paper.published import (
    CELL_TYPES,
    DATASETS,
    DETECTION,
    FEATURES,
    HYPERPARAMETERS,
    OWN_ANIMALS,
    PIPELINES,
    TRACKING,
    Tracking,
)
from cender.io.measured import Measured
from cender.recognize.paper.params import CENTRES_ONLY, PaperParams

Cell = str | float | int | None
Row = tuple[Cell, ...]
Found = Mapping[str, Measured]
IMPORT = "truth folders C1, C2 and C3 of the authors' data (OSF v2b5n)"
METHODS = (("paper", "cender, the paper's method"), ("default", "cender, ours"))


@dataclass(frozen=True, slots=True)
class Table:
    """A table of figures: percent, unless its column says otherwise; None where a figure does not exist."""

    number: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Number, title, columns, rows and note."""
        return asdict(self)


def build_tables(found: Found, data: Path | None) -> list[Table]:
    """All tables from what was measured; a row that was not says what it needs."""
    given = "" if data is None else f" (none in {data.name})"
    return [
        _own_animals(found),
        _datasets(found, given),
        _detection(found),
        _tracking(found, given),
        _cell_types(found, given),
        _pipelines(found),
        _hyperparameters(),
        _features(found),
        _stage_one(found),
    ]


def _own_animals(found: Found) -> Table:
    rows: list[Row] = []
    for name, volumes, train, validation, test, labelled, tracked in OWN_ANIMALS:
        rows.append((name, volumes, train, validation, test, labelled, tracked, "paper"))
        one = _figures(found, f"count, {name}")
        rows.append(
            (name, one["volumes"], "n", "0", "the rest", round(one["labelled"]), round(one["tracked"]), "at hand")
            if one
            else (name, f"needs {IMPORT}", None, None, None, None, None, "at hand")
        )
    columns = ("animal", "volumes", "training", "validation", "test", "labelled/volume", "tracked/volume", "source")
    note = "No method of cender takes validation volumes: all but those that teach are tested."
    return Table("1", "The organization of the CeNDeR data", columns, tuple(rows), note)


def _datasets(found: Found, given: str) -> Table:
    rows: list[Row] = []
    points, heads = _figures(found, "count, NeRVE"), _figures(found, "count, heads")
    for published in DATASETS:
        name = published[0]
        rows.append((*published, "paper"))
        if name == "NeRVE" and points:
            share = round(points["labelled"]), round(points["tracked"])
            rows.append((name, "freely moving", "digital", 1, points["volumes"], *share, "AML32", "at hand"))
        elif name == "NeuroPAL Chaudhary" and heads:
            lab = heads[CHAUDHARY]
            share = round(lab["labelled"]), round(lab["tracked"])
            rows.append((name, "immobile", "cell type", lab["animals"], lab["animals"], *share, "OH15495", "at hand"))
        else:
            lacking = {"CeNDeR": IMPORT, "NeRVE": POINTS_FILE + given, "NeuroPAL Chaudhary": HEADS_FILE + given}
            need = lacking.get(name, "the heads of Yu et al. (OSF t7dzu)")
            rows.append((name, f"needs {need}", None, None, None, None, None, None, "at hand"))
    for lab, one in heads.items():
        if lab != CHAUDHARY:
            share = round(one["labelled"]), round(one["tracked"])
            rows.append(
                (f"WormND {lab}", "immobile", "cell type", one["animals"], one["animals"], *share, "–", "at hand")
            )
    columns = ("data", "state", "identity", "animals", "volumes", "labelled", "tracked", "strain", "source")
    return Table("2", "Description of all data", columns, tuple(rows), "Labelled and tracked: neurons per volume.")


def _detection(found: Found) -> Table:
    columns = ("task", "anchors", "data", "precision", "recall", "F1", "training", "ms/volume", "source")
    rows: list[Row] = []
    for one in DETECTION:
        for data, figures in (("C1", one.c1), ("C2/C3", one.c2_c3)):
            rows.append((one.task, one.anchors, data, *figures, one.training, float(one.ms), "paper"))
        if one.anchors == "7, 11":
            need = "needs `cender bench baseline --anchors 7,11 --weights DIR`"
            rows.append((one.task, one.anchors, f"simulated {PRESET}", need, None, None, None, None, METHODS[0][1]))
            continue
        for method, name in METHODS:
            rows.append((one.task, one.anchors, f"simulated {PRESET}", *_found_shares(found, one.task, method), name))
    note = (
        "C1, C2 and C3 are not at hand: simulated animals stand in for them, so compare methods within 'simulated' and "
        f"not these rows with the published ones. For the latter: {IMPORT} in `--data`."
    )
    return Table("3", "2D neuron detection and 3D merging", columns, tuple(rows), note)


def _found_shares(found: Found, task: str, method: str) -> Row:
    one = _figures(found, f"detection, {method}")
    if not one:
        return ("needs `cender bench tables`", None, None, None, None)
    whole = one["tasks"][f"true boxes, {method} merging" if "human" in task else method]
    shares = whole["detection_2d" if "frames" in task else "detection_3d"]
    training = {"paper": "`cender bench baseline`", "default": "`cender train detector --from-scratch`"}[method]
    spent = "busy" if found[f"detection, {method}"].provenance.get("busy") else round(whole["ms_per_volume"], 1)
    cells = [_percent(shares[name]) for name in ("precision", "recall", "f1")]
    return (*cells, training if "frames" in task else "–", spent)


def _tracking(found: Found, given: str) -> Table:
    columns = ("task", "method", "test data", "accuracy", "training data", "volumes", "training", "s/volume", "source")
    rows: list[Row] = []
    for one in TRACKING:
        cells: Row = (one.accuracy, one.training, one.volumes, one.training_time, one.inference_s)
        rows.append((one.task, one.method, one.test, *cells, "paper"))
        if one.method != "CeNDeR":
            continue
        rows += [_track_row(found, one, method, name, given) for method, name in METHODS]
    for split, task in (("blocked", "within"), ("animals", "across")):
        for method, name in METHODS:
            training = f"{PRESET}, blocked" if split == "blocked" else "another animal + 1 template"
            cells = _track_cells(found, f"{PRESET}, {split}, {method}", training, WITHIN)
            rows.append((task, name, f"simulated {PRESET}", *cells, "here"))
    for method, name in METHODS:
        key = f"NeRVE from {PRESET}, {method}"
        shown = _track_cells(found, key, f"simulated {PRESET} + 1 template", WITHIN)
        rows.append(("across", name, "NeRVE", *(shown if key in found else _needs(POINTS_FILE + given)), "here"))
    if "NeRVE, 1, default" in found:
        cells = _track_cells(found, "NeRVE, 1, default", "NeRVE", 1)
        rows.append(("within", METHODS[1][1], "NeRVE", *cells, "here"))
    note = "Across animals ours learns from the template and, unlabelled, from the recording that it is used on."
    return Table("4", "Tracking methods", columns, tuple(rows), note)


def _track_row(found: Found, one: Tracking, method: str, name: str, given: str) -> Row:
    own = "C" in one.test or one.training == "C1"
    key = (
        f"{one.test}, {one.volumes}, {method}" if one.task == "within" else f"{one.test} from {one.training}, {method}"
    )
    if key in found:
        return (one.task, name, one.test, *_track_cells(found, key, one.training, int(one.volumes)), "here")
    lacking = f"{IMPORT} in --data" if own else f"{POINTS_FILE}{given}, or --full"
    return (one.task, name, one.test, *_needs(lacking), "here")


def _track_cells(found: Found, key: str, training: str, volumes: int) -> Row:
    if key not in found:
        return _needs("`cender bench tables`")
    figures = found[key].figures
    times = f"{(figures['train_s'] or 0.0) / 60:.1f} min", f"{(figures['ms_per_volume'] or 0.0) / 1e3:.3f}"
    spent = ("busy", "busy") if found[key].provenance.get("busy") else times
    return (_percent(figures["accuracy"]), training, str(volumes), *spent)


def _cell_types(found: Found, given: str) -> Table:
    columns = ("method", "Yu", "Chaudhary", "all labs", "training data", "volumes", "training", "s/volume", "source")
    rows: list[Row] = []
    one = _figures(found, "cell types, paper")
    for method, yu, chaudhary, training, volumes, time, inference in CELL_TYPES:
        rows.append((method, yu, chaudhary, None, training, volumes, time, inference, "paper"))
        if method != "CeNDeR":
            continue
        if training == "C1":
            rows.append((METHODS[0][1], f"needs {IMPORT}", None, None, training, volumes, None, None, "here"))
            continue
        for pose, words in (("points", "axes of the points"), ("labels", "axes and handedness from the names")):
            if one:
                lab = one["labs"][CHAUDHARY][pose]
                mine = f"{100 * lab['accuracy']:.2f} ± {100 * lab['spread']:.2f}"
                cells: Row = ("– (not at hand)", mine, _percent(one[pose]), training, volumes, None, None)
            else:
                cells = (f"needs {HEADS_FILE} and {POINTS_FILE}{given}", None, None, training, volumes, None, None)
            rows.append((f"{METHODS[0][1]}, {words}", *cells, "here"))
    rows.append(_name_row(found))
    note = (
        "Mean ± spread over templates; every head of a lab is the template of all its others (the paper used two "
        "templates). The published figures rest on axes drawn by hand in every head. Ours names by position alone, "
        "after learning from other named animals of all labs."
    )
    return Table("5", "Cell-type identities", columns, tuple(rows), note)


def _name_row(found: Found) -> Row:
    """Our names by position, on animals of groups that the namer has not seen, their handedness known from the lab."""
    name = f"{METHODS[1][1]} (`cender name`), position only"
    one = _figures(found, "cell types, default")
    if not one:
        return (name, None, f"needs {HEADS_FILE} and `--full`", None, "other named animals", None, None, None, "here")
    spent = "busy" if found["cell types, default"].provenance.get("busy") else f"{one['seconds']:.2f}"
    return (
        name,
        None,
        _percent(one["chaudhary"]),
        _percent(one["all"]),
        "other named animals",
        None,
        None,
        spent,
        "here",
    )


def _pipelines(found: Found) -> Table:
    rows: list[Row] = [(name, seconds, "paper") for name, seconds in PIPELINES.items()]
    stages, known = _figures(found, "stages"), _figures(found, f"{PRESET}, blocked, default")
    if stages and known:
        recognized = known["ms_per_volume"] or 0.0
        total = (stages["total_ms"] + recognized) / 1e3
        rows.append(("cender, on this machine's CPU; loading and saving excluded", round(total, 3), "here"))
        published = {"detect": 0.556, "merge": 0.050, "recognize": 0.02}
        for stage, milliseconds in {**stages["stages_ms"], "recognize": recognized}.items():
            rows.append((f"… its stage {stage}", round(milliseconds / 1e3, 4), "here"))
            if stage in published:
                rows.append((f"… the paper's stage {stage}, on its GPU and 24 cores", published[stage], "paper"))
    return Table("6", "Pipeline speed", ("method", "s/volume", "source"), tuple(rows))


def _hyperparameters() -> Table:
    columns = ("training data", "KNN", "density", "k", "q", "s", "d", "m1", "m2", "m3", "N", "usage")
    rows: list[Row] = []
    for one in HYPERPARAMETERS:
        rows.append(one)
        params = PaperParams() if one[0] == "C1" else PaperParams().model_copy(update=CENTRES_ONLY)
        numbers = [getattr(params, name) for name in ("k", "q", "s", "d", "m1", "m2", "m3")]
        usage = "`recognize.paper`" + ("" if one[0] == "C1" else ", centres only")
        rows.append((f"{one[0]}, here", params.knn, params.density, *numbers, "identities of the data + 1", usage))
    return Table("S1", "Hyperparameters and features", columns, tuple(rows))


def _features(found: Found) -> Table:
    columns = ("KNN", "density", "C1", "C2/C3", "NeRVE", "NeuroPAL Yu", "NeuroPAL Chaudhary", "source")
    rows: list[Row] = []
    for kinds, published in FEATURES.items():
        rows.append((*kinds, *published, "paper"))
        shares = [_figures(found, f"features, {' and '.join(kinds)}, {split}") for split in ("random", "animals")]
        cells: Row = (
            tuple(_percent(one["accuracy"]) for one in shares) if all(shares) else ("needs `--full`", "needs `--full`")
        )
        rows.append((*kinds, *cells, f"needs {OWN[0]}", "– (not at hand)", f"needs {OWN[0]}", f"simulated {PRESET}"))
    note = f"Here: within and across simulated animals, {WITHIN} annotated volumes. {OWN[0]}: {IMPORT}."
    return Table("S2", "Features of neurons (objects) or of their boxes (regions)", columns, tuple(rows), note)


def _stage_one(found: Found) -> Table:
    columns = ("method", "axes right", "axes right where not flagged", "flagged", "ms/volume", "source")
    rows: list[Row] = [("Algorithm 1 of the paper", None, None, None, None, "paper (never measured)")]
    one = _figures(found, "axes")
    for method, name in METHODS:
        if one:
            mine = one["methods"][method]
            shares = [_percent(mine[key]) for key in ("accuracy_all", "accuracy", "flagged")]
            spent = "busy" if found["axes"].provenance.get("busy") else round(mine["ms_per_volume"], 1)
            rows.append((name, *shares, spent, "here"))
    note = f"Not a table of the paper: its stage 1 beside ours on the same simulated volumes ({PRESET})."
    return Table("Stage 1", "Head and axes", columns, tuple(rows), note)


def _figures(found: Found, key: str) -> dict[str, Any]:
    return found[key].figures if key in found else {}


def _needs(what: str) -> Row:
    return (f"needs {what}", None, None, None, None)


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)
