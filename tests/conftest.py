"""What every test may rely on: no network, no window, repeatable randomness.

Nothing of cender is imported here: the plugin that checks array shapes has to come before that.
"""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "Agg")

# Derandomized: a failure in CI is a failure here. No deadline: a slow machine is not a defect.
settings.register_profile(
    "cender", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("cender")

_LOCAL = {"127.0.0.1", "::1", "localhost"}


@pytest.fixture(autouse=True)
def _stay_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse connections that leave this machine."""
    connect = socket.socket.connect

    def connect_locally(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in _LOCAL:
            raise RuntimeError(f"tests are offline, yet something connects to {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_locally)


@pytest.fixture(autouse=True)
def _leave_writing_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: what is flushed survives a power cut, which no test makes."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of real data that CENDER_DATA names, for tests marked ``real``; skips where there is none."""
    folder = os.environ.get("CENDER_DATA")
    if not folder:
        pytest.skip("needs real data: CENDER_DATA names no folder")
    if not Path(folder).is_dir():
        pytest.fail(f"CENDER_DATA names {folder}, which is not a folder")
    return Path(folder)
