"""``cender bench``: the figures of the README and the docs, one file per target."""

import typer

from cender.cli.bench.activity import activity
from cender.cli.bench.annotate import annotate
from cender.cli.bench.baseline import baseline
from cender.cli.bench.detection import detection
from cender.cli.bench.figures import figures
from cender.cli.bench.identity import identity
from cender.cli.bench.names import names
from cender.cli.bench.simulator import simulator
from cender.cli.bench.speed import speed
from cender.cli.bench.suggest import suggest
from cender.cli.bench.tables import tables
from cender.cli.options import Command, Group

bench = typer.Typer(
    name="bench",
    cls=Group,
    help="Measure the figures of the README and the docs, on this machine or on your own data.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
for target in (speed, detection, identity, tables, figures, baseline, activity, names, annotate, suggest, simulator):
    bench.command(cls=Command)(target)
