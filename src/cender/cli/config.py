"""``cender config``: the settings as commented TOML."""

from typing import Annotated

import typer

from cender.cli.options import ConfigFile, Sets


def config(
    config_file: ConfigFile = None,
    sets: Sets = None,
    section: Annotated[list[str] | None, typer.Option(help="Print only this section (may be given again).")] = None,
) -> None:
    """Print all settings as commented TOML, with their defaults or as FILE and --set change them."""
    from cender.config import Config, format_config, load_config
    from cender.errors import ConfigError

    for name in section or []:
        if name not in Config.model_fields:
            raise ConfigError(f"unknown section {name!r}; there are {', '.join(Config.model_fields)}")
    typer.echo(format_config(load_config(config_file, sets or []), section), nl=False)
