"""``cender info``: what was read of a recording, and what its file does not say."""

from pathlib import Path


def info(recording: Path) -> None:
    """Show what was read of RECORDING."""
