"""What int8 gives depends on the CPU: networks that were measured say which arithmetic they had."""

import os
import platform
import subprocess
import sys

import pytest

from cender.errors import ModelError
from cender.io.weights import shipped_weights
from cender.nets.scoring import KIND, build_score, name_arithmetic

MISFIT = """
import numpy as np
from cender.io.weights import shipped_weights
from cender.nets.graph import FINEST, build_graph, compile_graph
from cender.nets.scoring import KIND, build_score, read_ranges

weights = shipped_weights("dense", KIND)
frames = np.random.default_rng(0).uniform(0, 1, (8, 96, 96)).astype(np.float32)
for z, y, x in np.random.default_rng(1).uniform((0, 0, 0), (8, 96, 96), (40, 3)):
    depth, down, right = np.indices(frames.shape)
    away = ((depth - z) / 1.5) ** 2 + ((down - y) / 5) ** 2 + ((right - x) / 5) ** 2
    frames += 1.5 * np.exp(-0.5 * away).astype(np.float32)
exact = build_score(weights, "cpu", "float32", 1)(frames)
whole = compile_graph(build_graph(weights.arrays, read_ranges(weights), FINEST), 1)(frames)
auto = build_score(weights, "cpu", "auto", 1)(frames)
print(*(float(np.sqrt(np.mean((one.packed[:2] - exact.packed[:2]) ** 2))) for one in (whole, auto)))
"""
"""How far the maps are from those in single precision: with filters of 8 bits, and with those of this CPU."""


def ask(words: str) -> str:
    """What a process on a CPU without VNNI says: libraries look at the CPU when they are loaded."""
    command = [sys.executable, "-c", words]
    old = os.environ | {"ONEDNN_MAX_CPU_ISA": "SSE41"}
    return subprocess.run(command, check=True, env=old, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="other CPUs know no such limit")
def test_a_cpu_without_instructions_for_int8_gets_coarser_filters_rather_than_cut_sums() -> None:
    assert ask("from cender.nets.arithmetic import name_int8; print(name_int8())") == "int8 with filters of 7 bits"
    whole, halved = (float(word) for word in ask(MISFIT).split())
    assert halved < 0.8 * whole


def test_the_arithmetic_is_that_of_the_weights_and_settings() -> None:
    weights = shipped_weights("dense", KIND)
    assert name_arithmetic(weights, "cpu").startswith("int8")
    assert name_arithmetic(weights, "cpu", "float32") == "float32"


def test_a_gpu_that_is_not_there_is_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cender.nets.devices.has_gpu", lambda: False)
    weights = shipped_weights("dense", KIND)
    for take in (build_score, name_arithmetic):
        with pytest.raises(ModelError, match="finds no GPU"):
            take(weights, "cuda")
