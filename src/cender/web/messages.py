"""What a browser may say: every field has its kind and its bounds, and unknown fields are refused."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cender.annotate.edits import Edit

VolumeNumber = Annotated[int, Field(ge=0, le=2**31)]
Author = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]+$")]
Ticket = Annotated[str, Field(pattern=r"^[0-9a-zA-Z-]{8,64}$")]
Session = Annotated[str, Field(pattern=r"^[0-9a-zA-Z-]{4,64}$")]


class Message(BaseModel):
    """Something that a browser sends."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EditMessage(Message):
    """An edit, who makes it, what they saw, and a ticket that makes it happen once however often it is sent."""

    author: Author
    ticket: Ticket
    base_revision: Annotated[int, Field(ge=0, le=2**53)] | None = None
    edit: Edit


class TurnMessage(Message):
    """Take back, or make again, the last edit of a person."""

    author: Author
    ticket: Ticket


class CopyMessage(Message):
    """Carry identities from one volume to another."""

    author: Author
    ticket: Ticket
    source: VolumeNumber
    volume: VolumeNumber


class CursorMessage(Message):
    """Where a person is."""

    author: Author
    session: Session
    volume: VolumeNumber
