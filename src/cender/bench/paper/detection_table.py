"""The paper's table of detection and merging: 3."""

from collections.abc import Iterator

from cender.bench.paper.published import DETECTION
from cender.bench.paper.published import Found as Published
from cender.bench.paper.scope import DRAWN, OWN_STAGE_1, PAIR, PRESET
from cender.bench.paper.table import METHODS, Found, Row, Table, get_figures, to_percent

IMAGES = "the authors' images beside their labels (OSF v2b5n) in --data"
TRAIN_PAIR = "cender bench baseline --anchors 7,11 --width 0.0625 --cycles 2 --weights DIR"
"""Command that trains the paper's detector with its other anchors."""
TAKE_PAIR = (
    "--set detect.method=paper --set detect.multi_field.anchors_px=[7,11] "
    "--set detect.weights=DIR/multi_field_7-11_0.0625_3.safetensors"
)
"""Options of `cender bench tables` that choose what this command trained."""
HEADS = {"": "", OWN_STAGE_1: ", its stage 1 too", DRAWN: ", proofread heads"}
NOTE = (
    "Compare rows of one data set: simulated animals are not C1, C2 or C3. No weights of ours have learnt from the "
    "authors' images, so no volume of theirs is left out where they are at hand; a quick look takes a few, spread over "
    "the recording, --full all of them. The published figures rest on heads that people corrected, as do our rows with "
    "'proofread heads'. In other rows both detectors look at the heads that our stage 1 finds, but where a row says "
    "otherwise: the paper's looks for regions inside the hull of a head only. Our times are CPU time, of all cores "
    "together; those of regions are stage 2 alone, those of neurons stage 3."
)


def build_detection(found: Found) -> Table:
    """Table 3."""
    columns = ("task", "anchors", "data", "precision", "recall", "F1", "training", "ms/volume", "source")
    rows: list[Row] = []
    for one in DETECTION:
        for data, figures in (("C1", one.c1), ("C2/C3", one.c2_c3)):
            rows.append((one.task, one.anchors, data, *figures, one.training, float(one.ms), "paper"))
            ours = [
                (one.task, anchors, data, *shares, source)
                for key, anchors, source in _list_ways(one, f"detection, {data}, ")
                if (shares := _find_shares(found, one.task, key))
            ]
            need = f"needs {IMAGES}" + (f", and {ask_for_pair(data)}" if one.anchors == "7, 11" else "")
            rows += ours or [(one.task, one.anchors, data, need, None, None, None, None, "cender")]
        for key, anchors, source in _list_ways(one, "detection, "):
            shares = _find_shares(found, one.task, key)
            if not shares and DRAWN in key:
                continue
            need = f"needs {ask_for_pair() if PAIR in key else '`cender bench tables`'}"
            cells = shares or (need, None, None, None, None)
            rows.append((one.task, anchors, f"simulated {PRESET}", *cells, source))
    return Table("3", "2D neuron detection and 3D merging", columns, tuple(rows), NOTE)


def ask_for_pair(data: str = "") -> str:
    """What fills the rows of the other anchors, on the authors' images (of C1, C2/C3) or on simulated animals."""
    rows = f"detection, {data}, paper{PAIR}" if data else f"detection, paper{PAIR}"
    take = f'cender bench tables --rows FILE --only "{rows}" {"--data FOLDER " if data else ""}{TAKE_PAIR}'
    return f"weights of these anchors: `{TRAIN_PAIR}`, then `{take}`"


def _list_ways(one: Published, start: str) -> Iterator[tuple[str, str, str]]:
    """Keys of the rows that stand under a published one, with their anchors and source."""
    pair = one.anchors == "7, 11"
    for method, name in METHODS:
        # Ours has no anchors: its rows stand once.
        if pair and method == "default":
            continue
        for heads, words in HEADS.items():
            if (heads == OWN_STAGE_1 and method == "default") or (heads and "human" in one.task):
                continue
            key = f"{start}{method}{PAIR if pair else ''}{heads}"
            yield key, one.anchors if method == "paper" else "–", f"{name}{words}"


def _find_shares(found: Found, task: str, key: str) -> Row:
    """Cells of a row that was measured; none where it was not."""
    one = get_figures(found, key)
    if not one:
        return ()
    method = "paper" if "paper" in key else "default"
    whole = one["tasks"][f"true boxes, {method} merging" if "human" in task else method]
    in_frames = "frames" in task
    shares = whole["detection_2d" if in_frames else "detection_3d"]
    training = one["training"] if in_frames else "–"
    cells = [to_percent(shares[name]) for name in ("precision", "recall", "f1")]
    spent = whole.get("stages_ms", {}).get("detect" if in_frames else "merge")
    return (*cells, training, None if spent is None else round(spent, 1))
