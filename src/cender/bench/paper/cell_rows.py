"""Rows of cell types: the paper's template method with a model of the real recording, and our names."""

from functools import partial
from statistics import fmean, pstdev
from time import process_time
from typing import Any

from cender.bench.identity.carried import make_head_learner
from cender.bench.identity.heads import load_named_heads, measure_heads
from cender.bench.identity.pairs import Pace
from cender.bench.paper.cell_parts import PARTS, measure_parts
from cender.bench.paper.celltypes import choose_side, embed_with_paper, measure_cell_types, pose_by_labels
from cender.bench.paper.identity_rows import describe_recognition
from cender.bench.paper.inputs import hash_truth
from cender.bench.paper.items import Figures, Item
from cender.bench.paper.name_rows import list_names
from cender.bench.paper.scope import CHAUDHARY, Scope
from cender.bench.paper.taught import Company, describe_measurement
from cender.io.results.folder.fingerprints import hash_file
from cender.nets.embedding import read_classes
from cender.recognize.foreign import TRUST

TEACHERS = 130
"""Annotated volumes of the teacher animal that the paper's network learns from."""
# Trained for less than the paper does, a model of one animal serves others better.
BRIEF_EPOCHS = 12
# Heads of every lab that are templates in turn, and those of the one lab of a quick look.
EVERYWHERE, QUICKLY = 3, 3


def list_cell_types(company: Company, scope: Scope) -> list[Item]:
    """The paper's method on the heads of every lab, ours with one template, and our names."""
    heads, points = company.heads, company.points
    if heads is None:
        return []
    file = {"heads": hash_file(heads)}
    items = []
    inputs = {**describe_recognition(company.config, "paper", simulated=False), **file}
    if points is not None:
        mine = {**inputs, "points": hash_file(points)}
        # It has learnt from the same volumes as the paper's method within that recording.
        group = f"NeRVE, {TEACHERS}, paper"
        items.append(Item("cell types, paper", partial(_match_cell_types, company, "real"), mine, 20, group))
        apart = {**mine, "parts": list(PARTS)}
        items.append(Item("cell types, taken apart", partial(_take_apart, company), apart, 20, group))
    if company.authors is not None:
        match = partial(_match_cell_types, company, "own")
        items.append(Item("cell types, paper, C1", match, {**inputs, "teacher": hash_truth(company.authors)}, 300))
    ours = {
        **describe_recognition(company.config, "default", simulated=False),
        **file,
        "templates": EVERYWHERE if scope.full else QUICKLY,
        "full": scope.full,
    }
    ours["trust"] = str(TRUST["default"])
    items.append(Item("cell types, template", partial(_learn_templates, company, scope), ours, 60 if scope.full else 6))
    return [*items, *list_names(company, scope)]


def _match_cell_types(company: Company, teacher: str) -> Figures:
    """Accuracy by lab with axes of the points, with axes and side from the names, and with a briefly trained model."""
    if company.heads is None:
        raise RuntimeError("asked for heads that are not there")
    pupil = company.teach(teacher, TEACHERS)
    brief = company.teach(teacher, TEACHERS, epochs=BRIEF_EPOCHS)
    labs: dict[str, Any] = {}
    for lab, animals in load_named_heads(company.heads).items():
        posed, mirrored = pose_by_labels(animals)
        labs[lab] = {"points": measure_cell_types(animals, embed_with_paper(pupil.weights, "points"))}
        for name, one in (("names", pupil), ("brief", brief)):
            embed = embed_with_paper(one.weights, "head")
            sided = choose_side(posed, embed, read_classes(one.weights)[0][:-1])
            labs[lab][name] = {**measure_cell_types(sided, embed), "mirrored": mirrored}
    poses = ("points", "names", "brief")
    return {
        "labs": labs,
        **{pose: fmean(one[pose]["accuracy"] for one in labs.values()) for pose in poses},
        "train_s": {"points": pupil.train_s, "names": pupil.train_s, "brief": brief.train_s},
        "epochs": {"brief": BRIEF_EPOCHS},
    }


def _take_apart(company: Company) -> Figures:
    """Accuracy by lab of every way to lay heads over each other, and the mean of all labs."""
    if company.heads is None:
        raise RuntimeError("asked for heads that are not there")
    weights = company.teach("real", TEACHERS).weights
    labs = {lab: measure_parts(animals, weights) for lab, animals in load_named_heads(company.heads).items()}
    return {"labs": labs, "all": {part: fmean(one[part]["accuracy"] for one in labs.values()) for part in PARTS}}


def _learn_templates(company: Company, scope: Scope) -> Figures:
    """Our recognizer across animals, as `cender run --template` uses it: it learns from one named head."""
    if company.heads is None:
        raise RuntimeError("asked for heads that are not there")
    labs = load_named_heads(company.heads)
    learner = "default", make_head_learner(company.config)
    mine = labs[CHAUDHARY]
    templates = len(mine) if scope.full else QUICKLY
    one = measure_heads([], {CHAUDHARY: mine}, learner, templates=templates, pace=Pace(clock=process_time))[0]
    figures: Figures = {"chaudhary": describe_measurement(one)}
    figures["chaudhary"]["spread"] = pstdev(repeat.figures.accuracy or 0.0 for repeat in one.repeats)
    if not scope.full:
        return figures
    within, between = measure_heads([], labs, learner, templates=EVERYWHERE, pace=Pace(clock=process_time))
    return {**figures, "within": describe_measurement(within), "between": describe_measurement(between)}
