"""The command line: one file per command, nothing heavy imported before a command runs."""

from cender.cli.app import main

__all__ = ["main"]
