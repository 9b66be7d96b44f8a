"""Neurons and regions of one volume in the worm's own coordinates (paper, Stages 1 and 4)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.errors import DataError, UnusableVolume
from cender.recognize.paper.params import Axes, Source
from cender.types import Annotation, Head


@dataclass(frozen=True, slots=True)
class Posture:
    """Points of one volume in µm along the worm's axes: left, anterior, ventral (the order ``z y x``).

    ``owner`` is the row of the neuron that a region belongs to, -1 for none. ``span_um`` is the extent of all points
    along each axis.
    """

    objects: Float[np.ndarray, "m 3"]
    regions: Float[np.ndarray, "n 3"]
    owner: Int[np.ndarray, " n"]
    span_um: Float[np.ndarray, " 3"]

    def points(self, source: Source) -> tuple[Float[np.ndarray, "p 3"], Int[np.ndarray, " p"]]:
        """The points that a feature is made from and the neuron of each; objects where there are no regions."""
        if source == "regions" and len(self.regions):
            return self.regions, self.owner
        return self.objects, np.arange(len(self.objects))


def find_posture(annotation: Annotation, axes: Axes) -> Posture:
    """The volume's points along the worm's axes, about the middle of its neurons.

    Parameters
    ----------
    annotation
        The volume.
    axes
        ``head``: the axes that the volume's head has; a worm on its other side is turned over, never mirrored.
        ``points``: the long and the short axis of the neurons seen from above, turned such that their long tail points
        backwards (the sign of the third moment); the worm is taken to lie on the same side in all volumes.
    """
    _refuse_missing(annotation)
    if axes == "points":
        rotation = _axes_of_points(annotation.centre_um)
    elif annotation.head is not None:
        rotation = _axes_of_head(annotation.head)
    else:
        raise UnusableVolume(
            f"volume {annotation.volume}: expected the axes of a head, found no head; find it, or use a recognizer "
            'that was trained with axes = "points"',
            "no head",
        )
    middle = annotation.centre_um.mean(axis=0) if len(annotation) else np.zeros(3)
    objects = (annotation.centre_um - middle) @ rotation.T
    regions = (annotation.region_um - middle) @ rotation.T
    points = np.concatenate([objects, regions])
    span = np.ptp(points, axis=0) if len(points) else np.zeros(3)
    return Posture(objects, regions, annotation.regions.neuron.astype(int), span)


def _refuse_missing(annotation: Annotation) -> None:
    for what, values in (("neuron", annotation.centre_um), ("region", annotation.regions.box_px)):
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if len(bad):
            raise DataError(
                f"volume {annotation.volume}: expected finite coordinates, found {values[bad[0]].tolist()} in row "
                f"{bad[0]} of its {what}s ({len(bad)} such rows); correct or remove them"
            )


def _axes_of_head(head: Head) -> Float[np.ndarray, "3 3"]:
    """Rows: left, anterior and ventral in image axes ``z y x``."""
    anterior = head.anterior_yx / np.linalg.norm(head.anterior_yx)
    across = np.array([-anterior[1], anterior[0]])
    side = 1.0 if across @ head.ventral_yx >= 0 else -1.0
    return _join_axes(anterior, side)


def _axes_of_points(centre_um: Float[np.ndarray, "m 3"]) -> Float[np.ndarray, "3 3"]:
    if len(centre_um) < 2:
        return np.eye(3)
    flat = centre_um[:, 1:] - centre_um[:, 1:].mean(axis=0)
    _, axes = np.linalg.eigh(flat.T @ flat)
    anterior = axes[:, 1]
    if ((flat @ anterior) ** 3).sum() > 0:
        anterior = -anterior
    return _join_axes(anterior, 1.0)


def _join_axes(anterior_yx: Float[np.ndarray, " 2"], side: float) -> Float[np.ndarray, "3 3"]:
    """A rotation in the image, and, for a worm on its other side, half a turn about its long axis."""
    y, x = anterior_yx
    return np.array([[side, 0.0, 0.0], [0.0, y, x], [0.0, -side * x, side * y]])
