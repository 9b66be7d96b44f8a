"""The paper's eight tables in its own numbering: every published row, and ours under it on the same data."""

from pathlib import Path

from cender.bench.paper.detection_table import build_detection
from cender.bench.paper.published import DATASETS, HYPERPARAMETERS, OWN_ANIMALS, PIPELINES
from cender.bench.paper.scope import CHAUDHARY, HEADS_FILE, POINTS_FILE, PRESET
from cender.bench.paper.table import IMPORT, METHODS, Found, Row, Table, get_figures, to_percent
from cender.bench.paper.tracking_tables import build_cell_parts, build_cell_types, build_features, build_tracking
from cender.recognize.paper.params import CENTRES_ONLY, PaperParams


def build_tables(found: Found, data: Path | None) -> list[Table]:
    """All tables from what was measured; a row that was not says what it needs."""
    given = "" if data is None else f" (none in {data.name})"
    return [
        _own_animals(found),
        _datasets(found, given),
        build_detection(found),
        build_tracking(found, given),
        build_cell_types(found, given),
        _pipelines(found),
        _hyperparameters(),
        build_features(found, given),
        _stage_one(found),
        build_cell_parts(found, given),
    ]


def _own_animals(found: Found) -> Table:
    rows: list[Row] = []
    for name, volumes, train, validation, test, labelled, tracked in OWN_ANIMALS:
        rows.append((name, volumes, train, validation, test, labelled, tracked, "paper"))
        one = get_figures(found, f"count, {name}")
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
    points, heads = get_figures(found, "count, NeRVE"), get_figures(found, "count, heads")
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


def _pipelines(found: Found) -> Table:
    rows: list[Row] = [(name, seconds, "paper") for name, seconds in PIPELINES.items()]
    stages, known = get_figures(found, "stages"), get_figures(found, f"{PRESET}, 1, default")
    if not stages:
        rows.append(("cender, CPU time", "needs `cender bench tables`", "here"))
        return Table("6", "Pipeline speed", ("method", "s/volume", "source"), tuple(rows))
    spent = dict(stages["stages_ms"])
    if known:
        spent["recognize"] = known["ms_per_volume"]
    what = "all stages" if known else "stages 1 to 3"
    total = stages["total_ms"] + spent.get("recognize", 0.0)
    label = f"cender, {what}; CPU time of all cores together, loading and saving excluded"
    rows.append((label, round(total / 1e3, 3), "here"))
    published = {"detect": 0.556, "merge": 0.050, "recognize": 0.02}
    for stage, milliseconds in spent.items():
        rows.append((f"… its stage {stage}", round(milliseconds / 1e3, 4), "here"))
        if stage in published:
            rows.append((f"… the paper's stage {stage}; on its GPU and 24 cores", published[stage], "paper"))
    if not known:
        rows.append(("… its stage recognize", "needs `cender bench tables`", "here"))
    reading = stages["read_and_project_ms"]
    rows.append(("reading and projecting such a volume; for comparison", round(reading / 1e3, 4), "here"))
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


def _stage_one(found: Found) -> Table:
    columns = ("method", "axes right", "axes right where not flagged", "flagged", "ms/volume", "source")
    rows: list[Row] = [("Algorithm 1 of the paper", None, None, None, None, "paper (never measured)")]
    one = get_figures(found, "axes")
    for method, name in METHODS:
        if one:
            mine = one["methods"][method]
            shares = [to_percent(mine[key]) for key in ("accuracy_all", "accuracy", "flagged")]
            rows.append((name, *shares, round(mine["ms_per_volume"], 1), "here"))
        else:
            rows.append((name, "needs `cender bench tables`", None, None, None, "here"))
    note = f"Not a table of the paper: its stage 1 beside ours on the same simulated volumes ({PRESET}), in CPU time."
    return Table("Stage 1", "Head and axes", columns, tuple(rows), note)
