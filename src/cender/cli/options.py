"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings in TOML; `cender config --all` prints every one."),
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting, e.g. recording.rate_hz=5 (may be given again)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else, on standard output.")]


WORDS = {"path": "PATH", "int": "N", "float": "NUMBER", "str": "WORD"}
"""What help texts say for the value of an option, by the kind of its type, where the option itself does not say it."""


class Command(TyperCommand):
    """A command whose help shows no type of Python: a word for a value, and nothing beside flags and arguments."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters with words for their values."""
        return _word_values(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands, with the same help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters with words for their values."""
        return _word_values(super().get_params(ctx))


def _word_values(params: list[Any]) -> list[Any]:
    for param in params:
        if isinstance(param, TyperOption) and param.is_flag:
            param.metavar = ""
        elif isinstance(param, TyperOption) and param.metavar is None and not param.type_descriptor.is_choice:
            kind = param.bare_type().removeprefix("list[").removesuffix("]").lower()
            param.metavar = WORDS.get(kind)
        elif isinstance(param, TyperArgument) and not param.type_descriptor.is_choice:
            # Its name is the word already.
            param.display_type_rich = lambda ctx: None  # type: ignore[method-assign]
    return params
