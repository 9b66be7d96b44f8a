"""Human work as data: edits with inverses, the state they lead to, and what is worth a person's next minute."""

from cender.annotate.apply import apply_edit, list_volumes
from cender.annotate.edits import AnyEdit, parse_edit
from cender.annotate.join import JoinedNeuron, join_volume
from cender.annotate.marks import Box, HeadMark, Mark, Spot
from cender.annotate.state import IdentityState, State, VolumeState
from cender.annotate.words import describe_edit

__all__ = [
    "AnyEdit",
    "Box",
    "HeadMark",
    "IdentityState",
    "JoinedNeuron",
    "Mark",
    "Spot",
    "State",
    "VolumeState",
    "apply_edit",
    "describe_edit",
    "join_volume",
    "list_volumes",
    "parse_edit",
]
