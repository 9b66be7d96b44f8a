"""The paper's recognition: features, embedding, one-to-one assignment (Stage 4)."""

import logging
from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment

from cender.errors import DataError
from cender.recognize.paper.density import describe_density
from cender.recognize.paper.neighbours import describe_neighbours
from cender.recognize.paper.params import PaperParams, choose_axes
from cender.recognize.paper.posture import find_posture
from cender.types import Annotation, Identities

Embed = Callable[[np.ndarray], np.ndarray]
log = logging.getLogger(__name__)


def describe_neurons(annotation: Annotation, params: PaperParams) -> Float[np.ndarray, "m f"]:
    """Feature of every neuron: density (4 q values), then nearest neighbours (3 k values).

    A volume without regions is described by its objects alone, whatever the settings say.
    """
    posture = find_posture(annotation, params.axes)
    return np.concatenate(
        [
            describe_density(posture, params.q, params.density),
            describe_neighbours(posture, params.k, params.knn),
        ],
        axis=1,
    )


def recognize_with_weights(
    annotation: Annotation,
    embed: Embed,
    classes: Float[np.ndarray, "n1 d"],
    identities: Int[np.ndarray, " n"],
    params: PaperParams,
) -> Identities:
    """Identities of a volume of the animal that was trained on, each at most once.

    A volume without a head gets none where the recognizer was trained along the axes of heads.

    Parameters
    ----------
    annotation
        The volume; identities it may have are not looked at.
    embed
        Features to embeddings of length 1.
    classes
        Directions of the classes, the columns of the paper's W: one for each identity and a last one for all other
        neurons, which any number of neurons may be where there are more neurons than classes.
    identities
        Of all classes but the last.
    params
        As in training.
    """
    if not len(annotation):
        return _refuse(annotation)
    if params.axes == "head" and annotation.head is None:
        log.warning("volume %d has no head, along whose axes this recognizer looks: no identities", annotation.volume)
        return _refuse(annotation)
    cosine = embed(describe_neurons(annotation, params)) @ classes.T
    others = max(len(annotation) - len(identities), 1)
    column = np.r_[np.arange(len(classes)), np.full(others - 1, len(classes) - 1)]
    row, chosen = linear_sum_assignment(1 - cosine[:, column])
    return _identify(cosine, row, column[chosen], np.r_[identities, -1], params.s)


def recognize_with_template(
    annotation: Annotation, template: Annotation, embed: Embed, params: PaperParams
) -> Identities:
    """Identities of a volume of an animal that was not trained on, taken from one volume of it, each at most once.

    Neurons that match none of the template's, or one of it without identity, get none.
    """
    given = template.identity[template.identity >= 0]
    if not len(given):
        raise DataError(f"volume {template.volume}: expected a template with identities, found none; give it some")
    if len(np.unique(given)) < len(given):
        values, count = np.unique(given, return_counts=True)
        raise DataError(
            f"volume {template.volume}: expected every identity once in a template, found identity "
            f"{values[count.argmax()]} {count.max()} times; correct it"
        )
    if not len(annotation):
        return _refuse(annotation)
    # Which axes matters less than that both volumes have the same.
    params = choose_axes(params, [annotation, template])
    cosine = embed(describe_neurons(annotation, params)) @ embed(describe_neurons(template, params)).T
    row, column = linear_sum_assignment(1 - cosine)
    return _identify(cosine, row, column, template.identity, params.s)


def _identify(
    cosine: Float[np.ndarray, "m n"],
    row: Int[np.ndarray, " r"],
    column: Int[np.ndarray, " r"],
    identities: Int[np.ndarray, " n"],
    scale: float,
) -> Identities:
    """Identities of the assigned rows, with the softmax of ``scale`` × cosine as their probability; -1 with 0 else."""
    weight = np.exp(scale * (cosine - cosine.max(axis=1, keepdims=True)).astype(float))
    share = weight[row, column] / weight.sum(axis=1)[row]
    identity, probability = np.full(len(cosine), -1), np.zeros(len(cosine))
    identity[row] = identities[column]
    probability[row] = np.where(identities[column] >= 0, share, 0.0)
    return Identities(identity, probability)


def _refuse(annotation: Annotation) -> Identities:
    return Identities(np.full(len(annotation), -1), np.zeros(len(annotation)))
