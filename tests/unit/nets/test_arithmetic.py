"""What int8 gives depends on the CPU: networks that were measured say which arithmetic they had."""

import os
import platform
import subprocess
import sys

import pytest

from cender.errors import ModelError
from cender.io.weights import shipped_weights
from cender.nets.scoring import KIND, build_score, name_arithmetic


def ask(**isa: str) -> str:
    """What a process of its own says: libraries look at the CPU when they are loaded."""
    words = "from cender.nets.arithmetic import name_int8; print(name_int8())"
    command = [sys.executable, "-c", words]
    done = subprocess.run(command, check=True, env=os.environ | isa, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="other CPUs know no such limit")
def test_a_cpu_without_instructions_for_int8_cuts_sums() -> None:
    assert ask(ONEDNN_MAX_CPU_ISA="SSE41") == "int8 with sums cut at 16 bits"


def test_the_arithmetic_is_that_of_the_weights_and_settings() -> None:
    weights = shipped_weights("dense", KIND)
    assert name_arithmetic(weights, "cpu").startswith("int8")
    assert name_arithmetic(weights, "cpu", "float32") == "float32"


def test_a_gpu_that_is_not_there_is_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cender.nets.dense.has_gpu", lambda: False)
    weights = shipped_weights("dense", KIND)
    for take in (build_score, name_arithmetic):
        with pytest.raises(ModelError, match="finds no GPU"):
            take(weights, "cuda")
