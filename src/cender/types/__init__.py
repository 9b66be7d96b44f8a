"""The nouns of cender: small frozen records that flow between the stages."""

from cender.types.annotation import Annotation
from cender.types.annotations import Annotations
from cender.types.cells import Cells
from cender.types.head import Crop, Head, HeadDoubt
from cender.types.identities import Identities
from cender.types.intensities import Intensities
from cender.types.maps import Maps
from cender.types.neurons import Neurons
from cender.types.outcome import Flag, Outcome, Status
from cender.types.params import Params
from cender.types.recording import Missing, Recording, Role, VoxelSize
from cender.types.regions import Detections, Regions
from cender.types.traces import Traces
from cender.types.volume import Stack, Volume
from cender.types.weights import Weights

__all__ = [
    "Annotation",
    "Annotations",
    "Cells",
    "Crop",
    "Detections",
    "Flag",
    "Head",
    "HeadDoubt",
    "Identities",
    "Intensities",
    "Maps",
    "Missing",
    "Neurons",
    "Outcome",
    "Params",
    "Recording",
    "Regions",
    "Role",
    "Stack",
    "Status",
    "Traces",
    "Volume",
    "VoxelSize",
    "Weights",
]
