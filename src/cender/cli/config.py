"""``cender config``: the settings as commented TOML."""

from typing import Annotated, Literal

import typer

from cender.cli.options import ConfigFile, Sets


def config(
    config_file: ConfigFile = None,
    sets: Sets = None,
    section: Annotated[
        list[str] | None, typer.Option(help="Print only this section, with all its settings (may be given again).")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all settings, also those seldom touched.")] = False,
) -> None:
    """Print the settings that people touch as commented TOML, with their defaults or as FILE and --set change them."""
    from cender.config import Config, format_config, load_config
    from cender.errors import ConfigError

    for name in section or []:
        if name not in Config.model_fields:
            raise ConfigError(f"unknown section {name!r}; there are {', '.join(Config.model_fields)}")
    which: Literal["everyday", "all"] = "all" if everything or section else "everyday"
    typer.echo(format_config(load_config(config_file, sets or []), section, which), nl=False)
    if which == "everyday":
        typer.echo("\n# `cender config --all` prints every setting, `--section NAME` those of a section.")
