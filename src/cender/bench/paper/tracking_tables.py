"""The paper's tables of identities: 4 (tracking), 5 (cell types) and S2 (features)."""

from typing import Any

from cender.bench.paper.cell_parts import PARTS
from cender.bench.paper.name_rows import GROUPS, gather_names
from cender.bench.paper.published import CELL_TYPES, FEATURES, TRACKING, Tracking
from cender.bench.paper.scope import CHAUDHARY, HEADS_FILE, OWN, POINTS_FILE, PRESET
from cender.bench.paper.table import IMPORT, METHODS, Found, Row, Table, get_figures, say_duration, to_percent

# The row of features that the paper's other tables have, too.
CHOSEN = "features, objects and regions"
LAID = {
    "points": "axes of the points",
    "names": "axes and side from the names",
    "brief": "axes and side from the names, trained for {epochs} epochs",
}
"""In words, how heads are laid over each other."""


def build_tracking(found: Found, given: str) -> Table:
    """Table 4."""
    columns = ("task", "method", "test data", "accuracy", "training data", "volumes", "training", "s/volume", "source")
    rows: list[Row] = []
    for one in TRACKING:
        cells: Row = (one.accuracy, one.training, one.volumes, one.training_time, one.inference_s)
        rows.append((one.task, one.method, one.test, *cells, "paper"))
        if one.method == "CeNDeR":
            rows += [_track_row(found, one, method, name, given) for method, name in METHODS]
    rows += _simulated_rows(found, given)
    note = (
        "Simulated animals stand in for C1 to C3 in the last rows, with fewer annotated volumes. Across animals ours "
        "learns from the template and, unlabelled, from the recording that it is used on, and nothing from the other "
        "animal. 'Template only' is what `cender run --template` gives: the other animal is the template, nothing of "
        "the recording is annotated, and what is refused counts as wrong. Our times are CPU time, of all cores "
        "together."
    )
    return Table("4", "Tracking methods", columns, tuple(rows), note)


def _track_row(found: Found, one: Tracking, method: str, name: str, given: str) -> Row:
    within = one.task == "within"
    key = f"{one.test}, {one.volumes}, {method}" if within else f"{one.test} from {one.training}, {method}"
    own = "C" in one.test or one.training == "C1"
    lacking = f"{IMPORT} in --data" if own else f"{POINTS_FILE}{given}"
    cells = _show(get_figures(found, key), one.training, one.volumes, lacking)
    return (one.task, name, one.test, *cells, "here")


def _simulated_rows(found: Found, given: str) -> list[Row]:
    """Within a simulated animal, across two, and from a simulated animal to the real one; ours with one volume too."""
    chosen = get_figures(found, CHOSEN)
    train = found[CHOSEN].inputs["train"] if CHOSEN in found else "n"
    (_, paper), (_, ours) = METHODS
    where, other = f"simulated {PRESET}", f"{PRESET} + 1 template"
    here, need = "`cender bench tables`", f"{POINTS_FILE}{given}"
    rows = [
        ("within", paper, where, chosen.get("within"), where, train, here),
        ("within", ours, where, get_figures(found, f"{PRESET}, {train}, default"), where, train, here),
        ("across", paper, where, chosen.get("across"), other, train, here),
        ("across", ours, where, get_figures(found, f"{PRESET}, 1, default"), "1 template", 1, here),
        *(
            ("across, template only", name, where, get_figures(found, f"carried, {method}"), PRESET, train, here)
            for method, name in METHODS
        ),
        ("across", paper, "NeRVE", chosen.get("NeRVE"), other, train, need),
        ("across", ours, "NeRVE", get_figures(found, "NeRVE, 1, default"), "1 template", 1, need),
    ]
    return [
        (task, name, data, *_show(figures or {}, training, str(volumes), lacking), "here")
        for task, name, data, figures, training, volumes, lacking in rows
    ]


def _show(figures: dict[str, Any], training: str, volumes: str, lacking: str) -> Row:
    if not figures:
        return (f"needs {lacking}", None, None, None, None)
    learnt, recognized = figures["train_s"], figures["ms_per_volume"]
    times = (
        None if learnt is None else say_duration(learnt),
        None if recognized is None else f"{recognized / 1e3:.3f}",
    )
    return (to_percent(figures["accuracy"]), training, volumes, *times)


def build_cell_types(found: Found, given: str) -> Table:
    """Table 5."""
    columns = ("method", "Yu", "Chaudhary", "all labs", "training data", "volumes", "training", "s/volume", "source")
    rows: list[Row] = []
    for method, yu, chaudhary, training, volumes, time, inference in CELL_TYPES:
        rows.append((method, yu, chaudhary, None, training, volumes, time, inference, "paper"))
        if method == "CeNDeR":
            rows += _matched_rows(found, given, training, volumes)
    rows += [_template_row(found, given), _name_row(found, given)]
    note = (
        "Mean ± spread over templates, of the neurons whose name the template has; every head of a lab is the template "
        "of all its others. 'as published': as the authors' program counts, with two templates and without neurons "
        "that are matched to nothing. The published figures rest on axes drawn by hand in every head. 'all labs': mean "
        "of seven labs. Ours with one template learns from one named head, as `cender run --template` does, and looks "
        "at every other head as it is and turned over; `cender name` learns from other named animals of all labs, and "
        "its 'all labs' is the mean of all animals."
    )
    return Table("5", "Cell-type identities", columns, tuple(rows), note)


def build_cell_parts(found: Found, given: str) -> Table:
    """What decides about the paper's method in Table 5."""
    one = get_figures(found, "cell types, taken apart")
    need = f"needs {HEADS_FILE} and {POINTS_FILE}{given}"
    rows: list[Row] = [
        (words, _spread(one["labs"][CHAUDHARY][part]), to_percent(one["all"][part])) if one else (words, need, None)
        for part, words in PARTS.items()
    ]
    columns = ("heads", "Chaudhary", "all labs")
    note = (
        "Not a table of the paper: what decides about its method in Table 5, with the model of NeRVE (130 volumes). "
        "Every row but the first changes one thing. Published with such a model, and axes drawn by hand: 39.82 ± 0.64."
    )
    return Table("Cell types", "What axes, handedness and templates cost", columns, tuple(rows), note)


def _matched_rows(found: Found, given: str, training: str, volumes: str) -> list[Row]:
    one = get_figures(found, "cell types, paper" + (", C1" if training == "C1" else ""))
    rows: list[Row] = []
    if not one and training == "C1":
        return [(METHODS[0][1], f"needs {IMPORT}", None, None, training, volumes, None, None, "here")]
    for pose, words in LAID.items():
        if not one:
            need = f"needs {HEADS_FILE} and {POINTS_FILE}{given}"
            rows.append(
                (
                    f"{METHODS[0][1]}; {words.format(epochs='n')}",
                    need,
                    *[None] * 2,
                    training,
                    volumes,
                    None,
                    None,
                    "here",
                )
            )
            continue
        name = f"{METHODS[0][1]}; {words.format(epochs=one['epochs']['brief'])}"
        lab, minutes = one["labs"][CHAUDHARY][pose], say_duration(one["train_s"][pose])
        everywhere = to_percent(one[pose])
        rows.append((name, "– (not at hand)", _spread(lab), everywhere, training, volumes, minutes, None, "here"))
        if pose != "points":
            counted = _spread(lab["published"])
            rows.append(("… counted as published", "–", counted, None, training, volumes, minutes, None, "here"))
    return rows


def _spread(one: dict[str, Any]) -> str:
    return f"{100 * one['accuracy']:.2f} ± {100 * one['spread']:.2f}"


def _template_row(found: Found, given: str) -> Row:
    """Our recognizer with one named head as its template."""
    name, one = f"{METHODS[1][1]}, one template", get_figures(found, "cell types, template")
    if not one:
        return (name, None, f"needs {HEADS_FILE}{given}", None, "1 template", None, None, None, "here")
    lab = one["chaudhary"]
    everywhere = to_percent(one["within"]["accuracy"]) if "within" in one else None
    minutes, seconds = say_duration(lab["train_s"]), f"{lab['ms_per_volume'] / 1e3:.3f}"
    return (name, None, _spread(lab), everywhere, "1 template", "1", minutes, seconds, "here")


def _name_row(found: Found, given: str) -> Row:
    """Our names by position, on animals of groups that the namer has not seen, their handedness known from the lab."""
    name, one = f"{METHODS[1][1]} (`cender name`)", gather_names(found)
    if not one:
        need = f"needs {HEADS_FILE}{given}"
        return (f"{name}; position only", None, need, None, "other named animals", None, None, None, "here")
    brief = "" if one["steps"] is None else f", a look: one of {len(GROUPS)} groups, {one['steps']} training steps"
    shares = to_percent(one["chaudhary"]), to_percent(one["all"])
    times = say_duration(one["train_s"]), f"{one['seconds']:.2f}"
    return (f"{name}; position only{brief}", None, *shares, "other named animals", None, *times, "here")


def build_features(found: Found, given: str) -> Table:
    """Table S2."""
    columns = ("KNN", "density", "C1", "C2/C3", "NeRVE", "NeuroPAL Yu", "NeuroPAL Chaudhary", "source")
    rows: list[Row] = []
    train = "n"
    for kinds, published in FEATURES.items():
        rows.append((*kinds, *published, "paper"))
        key = f"features, {' and '.join(kinds)}"
        one = get_figures(found, key)
        train = str(found[key].inputs["train"]) if key in found else train
        cells: Row = ("needs `cender bench tables`", None)
        if one:
            cells = tuple(to_percent(one[name]["accuracy"]) for name in ("within", "across"))
        nerve = to_percent(one["NeRVE"]["accuracy"]) if "NeRVE" in one else f"needs {POINTS_FILE}{given}"
        heads = _spread(one["Chaudhary"]) if "Chaudhary" in one else f"needs {HEADS_FILE}{given}"
        rows.append((*kinds, *cells, nerve, "– (not at hand)", heads, f"model of simulated {PRESET}"))
    note = (
        f"Here a simulated animal stands in for C1 ({train} annotated volumes, 300 epochs) and another one for "
        f"C2 and C3; across animals: mean over templates. For {OWN[0]} itself: {IMPORT}."
    )
    return Table("S2", "Features of neurons (objects) or of their boxes (regions)", columns, tuple(rows), note)
