"""How good the paper's detector gets: 2D F1 over the width of its network and the number of training steps."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from cender.bench.paper.items import Item
from cender.config import Config
from cender.detect.multi_field import MultiFieldParams
from cender.io.weights import save_weights
from cender.training.paper.anchor_scenes import Scene, simulate_scenes
from cender.training.paper.multi_field import VALIDATION, MultiFieldTraining, pack_detector, train_multi_field

# As many volumes as the paper trains on; each is of another simulated animal.
FIRST, VOLUMES = 1000, 30


def list_curve(
    widths: Sequence[float],
    epochs: int,
    anchors: Sequence[tuple[int, ...]],
    folder: Path | None,
    settings: Config | None = None,
) -> list[Item]:
    """One training for each width and set of anchors; its F1 is measured at the end of every cycle.

    Parameters
    ----------
    folder
        Where the weights of every training go; None keeps only the figures.
    settings
        Say how many CPU threads training takes (train.threads) and on which device (detect.device).
    """
    items, scenes = [], _Scenes()
    for sizes in anchors:
        for width in widths:
            chosen = settings or Config()
            training = MultiFieldTraining(
                width=width, epochs=epochs, threads=chosen.train.threads, device=chosen.detect.device
            )
            params = MultiFieldParams(anchors_px=sizes)
            inputs = {
                "training": training.model_dump(mode="json", exclude={"threads", "device"}),
                "detector": params.model_dump(mode="json", exclude={"batch"}),
                "animals": f"simulated typical, seeds {FIRST}–{FIRST + VOLUMES - 1}",
                "validation": f"simulated typical, seeds {VALIDATION.start}–{VALIDATION.stop - 1}",
            }
            key = f"curve, anchors {'+'.join(map(str, sizes))}, width {width:g}"
            measure = partial(_train_once, scenes, training, params, folder)
            items.append(Item(key, measure, inputs, round(900 * (8 * width) ** 2 * epochs / 7 * len(sizes))))
    return items


class _Scenes:
    """Simulated volumes, made when the first training asks for them."""

    def __init__(self) -> None:
        self._made: tuple[list[Scene], list[Scene], str] | None = None

    def get(self) -> tuple[list[Scene], list[Scene], str]:
        """Volumes to learn from, volumes to choose by, and the hash of the preset."""
        if self._made is None:
            taught, preset_hash = simulate_scenes(range(FIRST, FIRST + VOLUMES))
            self._made = taught, simulate_scenes(VALIDATION)[0], preset_hash
        return self._made


def _train_once(
    scenes: _Scenes, training: MultiFieldTraining, params: MultiFieldParams, folder: Path | None
) -> dict[str, Any]:
    taught, validation, preset_hash = scenes.get()
    steps = training.samples_per_epoch // training.batch
    points: list[dict[str, float]] = []
    begin = perf_counter()

    def report(epoch: int, loss: float, f1: float) -> None:
        if f1 == f1:
            spent = perf_counter() - begin
            points.append({"steps": (epoch + 1) * steps, "f1": f1, "loss": loss, "train_s": spent})

    fitted = train_multi_field(taught, validation, training, params, report)
    if folder is not None:
        sizes = "-".join(map(str, params.anchors_px))
        about = {"seeds": f"{FIRST}:{FIRST + VOLUMES}", "preset": f"typical {preset_hash}"}
        about["train_s"] = f"{points[-1]['train_s']:.0f}"
        save_weights(
            pack_detector(fitted, training, params, about),
            folder / f"multi_field_{sizes}_{training.width:g}.safetensors",
        )
    parameters = sum(value.size for value in fitted.state.values())
    return {"points": points, "best_f1": fitted.f1, "parameters": int(parameters), "preset_hash": preset_hash}
