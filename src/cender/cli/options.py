"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings in TOML; `cender config` prints all."),
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting, e.g. recording.rate_hz=5 (may be given again)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else, on standard output.")]


class Command(TyperCommand):
    """A command whose help shows no type beside flags: there is nothing to type there."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, flags without a word for their value."""
        return _clear_flags(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands, with the same help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, flags without a word for their value."""
        return _clear_flags(super().get_params(ctx))


def _clear_flags(params: list[Any]) -> list[Any]:
    for param in params:
        if isinstance(param, TyperOption) and param.is_flag:
            param.metavar = ""
    return params
