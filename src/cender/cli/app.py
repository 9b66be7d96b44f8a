"""The ``cender`` command: its parts, its exit statuses, its errors."""

import logging
import sys
import traceback
from typing import Annotated

import typer

import cender
from cender.cli.annotate import annotate
from cender.cli.bench import bench
from cender.cli.config import config
from cender.cli.console import STDERR, say_always
from cender.cli.demo import demo
from cender.cli.evaluate import evaluate
from cender.cli.exchange import export, import_
from cender.cli.info import info
from cender.cli.interrupts import INTERRUPTS, STOPPED
from cender.cli.name import name
from cender.cli.options import Command, Group
from cender.cli.report import report
from cender.cli.run import run
from cender.cli.simulate import simulate
from cender.cli.suggest import suggest
from cender.cli.train import train
from cender.errors import CenderError

app = typer.Typer(
    name="cender",
    cls=Group,
    help="From 3D recordings of a freely moving C. elegans to the activity of every neuron.",
    epilog="Every command has --help. Exit status: 0 done, 1 a defect of ours, 2 a mistake in what it got.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, info, config, simulate, run, report, annotate, name, evaluate):
    app.command(cls=Command)(command)
app.command("import", cls=Command)(import_)
app.command(cls=Command)(export)
app.command(cls=Command)(suggest)
app.add_typer(train)
app.add_typer(bench)


def _show_version(wanted: bool) -> bool:
    if wanted:
        typer.echo(f"cender {cender.__version__}")
        raise typer.Exit
    return wanted


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the full traceback of an error.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but results and errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more about what is done.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    level = logging.DEBUG if debug else logging.INFO if verbose else logging.ERROR if quiet else logging.WARNING
    logging.basicConfig(level=level, format="%(message)s", stream=sys.stderr)
    # The formats' libraries speak to programmers; what matters of it we say ourselves.
    logging.getLogger("tifffile").setLevel(logging.DEBUG if debug else logging.CRITICAL)
    STDERR.quiet = quiet


def main() -> None:
    """Run the command line and exit: 0 done, 1 a defect of ours, 2 a user's mistake."""
    debug = "--debug" in sys.argv
    INTERRUPTS.install()
    try:
        status = app(args=_sort_anywhere(sys.argv[1:]), standalone_mode=False)
    except typer.Abort:
        say_always("stopped")
        sys.exit(STOPPED)
    except typer.TyperException as error:
        # A command that needs words and got none has printed its help already, and has nothing to add.
        if message := error.format_message().strip():
            say_always(f"[bold red]error:[/] {_escape(message)} (see --help)")
        sys.exit(2)
    except CenderError as error:
        if debug:
            traceback.print_exc()
        say_always(f"[bold red]error:[/] {_escape(str(error))}")
        sys.exit(2)
    except KeyboardInterrupt:
        say_always("stopped")
        sys.exit(STOPPED)
    except Exception as error:  # noqa: BLE001  (the last net: a defect of ours, said in one line)
        if debug:
            traceback.print_exc()
        say_always(
            f"[bold red]defect:[/] {type(error).__name__}: {_escape(str(error))}\n"
            "This is a mistake of ours. Run again with --debug and send us what it prints."
        )
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _sort_anywhere(words: list[str]) -> list[str]:
    """Let --debug, --quiet and --verbose stand anywhere, as people expect them to; what follows ``--`` is no option."""
    anywhere = ("--debug", "--quiet", "-q", "--verbose", "-v")
    end = words.index("--") if "--" in words else len(words)
    moved = [word for word in words[:end] if word in anywhere]
    return [*moved, *(word for word in words[:end] if word not in anywhere), *words[end:]]


def _escape(text: str) -> str:
    return text.replace("[", r"\[")
