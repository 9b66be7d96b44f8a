"""A whole recording compared with its truth."""

from collections.abc import Collection, Iterable

import cender
from cender.evaluate.axes import measure_axes
from cender.evaluate.breakdown import break_down
from cender.evaluate.detection import measure_detection
from cender.evaluate.errors import IDENTITY_OUTCOMES, count_detection_errors
from cender.evaluate.identity import KnownNeurons, collect_neurons, measure_identity
from cender.evaluate.pairing import Pairing, pair_volumes
from cender.evaluate.rename import find_renaming, rename_pairings, rename_ratios
from cender.evaluate.result import Provenance, Result
from cender.evaluate.traces import measure_traces
from cender.types import Annotations


def evaluate_recording(
    predicted: Annotations,
    truth: Annotations,
    *,
    volumes: Collection[int] | None = None,
    rename: bool = False,
    known: Collection[int] | None = None,
) -> Result:
    """Compare a prediction with the truth: match, classify the errors, measure.

    Only volumes that the truth has are compared; one without a prediction counts as missed. Neither side is
    changed.

    Parameters
    ----------
    predicted, truth
        The two sides; a second annotator is a prediction like any other.
    volumes
        Volumes to compare, such as ``range(100, 200)``; None = all of the truth.
    rename
        Put the predicted numbers into those of the truth first, by one matching for the whole recording: for
        predictions whose numbers are arbitrary because the run has no annotations.
    known
        Identities that the model could know because they occur in its training; None = all.
    """
    chosen = sorted(volume for volume in truth.annotations if volumes is None or volume in volumes)
    pairings = pair_volumes(predicted, truth, chosen)
    ratio = predicted.ratio
    if rename:
        mapping = find_renaming(pairings, (identity for identity, _ in predicted.ratio))
        pairings = rename_pairings(pairings, mapping)
        ratio = rename_ratios(predicted.ratio, mapping)
    neurons = collect_neurons(pairings)
    return Result(
        detection_2d=measure_detection(pairings, "boxes"),
        detection_3d=measure_detection(pairings, "neurons"),
        centre=measure_detection(pairings, "centres"),
        axes=measure_axes(pairings),
        identity=measure_identity(pairings, known),
        traces=measure_traces(ratio, truth.ratio, neurons, volumes),
        detection_errors=count_detection_errors(pairings),
        identity_outcomes=_count_outcomes(neurons),
        breakdown=break_down(pairings),
        provenance=_describe(predicted, truth, pairings, rename),
    )


def _count_outcomes(neurons: KnownNeurons) -> dict[str, int]:
    return {kind: int((neurons.outcome == kind).sum()) for kind in IDENTITY_OUTCOMES}


def _describe(predicted: Annotations, truth: Annotations, pairings: Iterable[Pairing], renamed: bool) -> Provenance:
    pairings = tuple(pairings)
    # What the prediction says of its split goes before what the truth says; the data's seed is the truth's.
    said = {**predicted.provenance, **truth.provenance}
    return Provenance(
        data=truth.source,
        predicted=predicted.source,
        split=predicted.provenance.get("split", truth.provenance.get("split")),
        seed=said.get("seed"),
        preset_hash=said.get("preset_hash"),
        version=cender.__version__,
        volumes=len(pairings),
        missing=sum(pairing.missing for pairing in pairings),
        incomplete=sum(not pairing.truth.complete for pairing in pairings),
        first_volume=pairings[0].truth.volume if pairings else None,
        last_volume=pairings[-1].truth.volume if pairings else None,
        renamed=renamed,
    )
