"""A namer as a file of weights, and back."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from cender.errors import ModelError
from cender.name.atlas import Atlas
from cender.name.model import NamingModel
from cender.nets.namer import Namer, build_namer, make_name_score
from cender.training.namer.calibrate import Calibration
from cender.training.params import TrainNamerParams
from cender.types import Cells, Weights

KIND = "namer"
NET = "net."
"""How the weights of the networks begin, beside those of the atlas; their number follows."""
HEAD = ".head."
"""Part of the names of weights that have a row for every cell."""
EDITION = "4"
"""Rises when older weights mean something else: the third had one network."""
ATLAS_PARTS = ("mean", "covariance", "colour", "colour_spread", "sightings")
"""Arrays of an atlas, as weights hold them."""


def pack_namer(
    nets: Sequence[Namer], atlas: Atlas, worth: Calibration, named: Sequence[Cells], params: TrainNamerParams
) -> Weights:
    """Networks, atlas and calibration with where they come from; numbers in half precision where that is enough."""
    arrays = {
        f"{NET}{number}.{name}": value.detach().numpy().astype(np.float16)
        for number, net in enumerate(nets)
        for name, value in net.state_dict().items()
    }
    arrays |= {f"atlas.{part}": getattr(atlas, part) for part in ATLAS_PARTS}
    arrays |= {"calibration": worth.weights, "fit": np.array([worth.usual_fit, worth.side_gain])}
    metadata = {
        "kind": KIND,
        "edition": EDITION,
        "names": json.dumps(atlas.names),
        "animals": json.dumps(Counter(one.lab or "unnamed" for one in named), sort_keys=True),
        "settings": params.model_dump_json(),
        "held_back_top1": json.dumps({looks: round(share, 4) for looks, share in worth.right.items()}),
    }
    return Weights(arrays, metadata)


def drop_doubted(weights: Weights) -> Weights:
    """The same namer without cells whose names people doubted themselves (``AIM?``): such a name is never given."""
    names = json.loads(weights.metadata["names"])
    kept = np.array([row for row, name in enumerate(names) if "?" not in name])
    arrays = {
        name: array[kept] if name.startswith("atlas.") or HEAD in name else array
        for name, array in weights.arrays.items()
    }
    return Weights(arrays, {**weights.metadata, "names": json.dumps([names[row] for row in kept])})


def build_naming_model(weights: Weights) -> NamingModel:
    """The namer that weights describe, ready to use."""
    found = weights.metadata.get("edition", "1")
    if found != EDITION:
        raise ModelError(
            f"these weights of a namer are of edition {found}, this cender reads edition {EDITION}; train again with "
            "`cender train namer`, or leave out --model for the shipped ones"
        )
    names = tuple(json.loads(weights.metadata["names"]))
    arrays = weights.arrays
    atlas = Atlas(names, *(arrays[f"atlas.{part}"] for part in ATLAS_PARTS))
    numbers = sorted({int(name.split(".")[1]) for name in arrays if name.startswith(NET)})
    nets = [build_namer(_take(arrays, f"{NET}{number}.")) for number in numbers]
    usual, gain = (float(value) for value in arrays["fit"])
    return NamingModel(make_name_score(nets), atlas, arrays["calibration"], usual, gain)


def _take(arrays: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
