"""What people say of one neuron, and how an edit points at it."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

NO_IDENTITY = -1
"""The identity of a neuron of which a person says that it has none that is known."""
MOST_SPOTS = 200_000
"""How many neurons one edit may touch: 200 in a thousand volumes."""

Finite = Annotated[float, Field(allow_inf_nan=False, ge=-1e7, le=1e7)]
Size = Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e7)]
Count = Annotated[int, Field(ge=0, le=2**31)]
Identity = Annotated[int, Field(ge=0, le=2**31)]
Key = Annotated[str, Field(pattern=r"^[mh][0-9a-z.-]{1,40}$")]
Text = Annotated[str, Field(max_length=2000)]
PlaceUm = tuple[Finite, Finite, Finite]
Direction = tuple[Finite, Finite]


class Record(BaseModel):
    """A value that is never changed; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Box(Record):
    """A region: a box in frame ``z``, ``x y w h`` in full-frame pixels, half-open."""

    z: Count
    x: Finite
    y: Finite
    w: Size
    h: Size


class Spot(Record):
    """A neuron of a volume as an edit names it.

    ``key`` is ``m12`` for neuron 12 of the machine's table when the edit was made, ``h…`` for one that a person made.
    A machine's neuron is known again by its place (``place_um``, ``z y x``), since a later run may number others so;
    ``boxes`` are the machine's, needed by the first edit that changes one of them.
    """

    volume: Count
    key: Key
    place_um: PlaceUm | None = None
    boxes: tuple[Box, ...] | None = None


class Mark(Record):
    """What people say of one neuron in one volume.

    ``anchor_um`` is where the machine saw it when it was first touched, None for a neuron that a person made.
    ``centre_um`` and ``boxes`` are the person's, None where the machine's stand. ``identity`` is None where nothing was
    said, -1 where it was said that there is none. ``removed`` says that it is no neuron.
    """

    key: Key
    anchor_um: PlaceUm | None = None
    centre_um: PlaceUm | None = None
    boxes: tuple[Box, ...] | None = None
    identity: Annotated[int, Field(ge=NO_IDENTITY, le=2**31)] | None = None
    removed: bool = False

    @property
    def place_um(self) -> PlaceUm:
        """Where it is: the person's place, else the machine's."""
        place = self.centre_um or self.anchor_um
        if place is None:
            raise ValueError(f"neuron {self.key} has no place")
        return place

    @property
    def says_nothing(self) -> bool:
        """Whether it leaves the machine's neuron as it is."""
        same = self.centre_um is None and self.boxes is None and self.identity is None
        return self.anchor_um is not None and same and not self.removed


class HeadMark(Record):
    """The worm's axes as a person set them, in full-frame pixels, and the outline of the head (``y x`` each)."""

    origin_yx: Direction
    anterior_yx: Direction
    ventral_yx: Direction
    outline_yx: tuple[Direction, ...] = Field(default=(), max_length=5000)
