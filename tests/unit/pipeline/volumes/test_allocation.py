"""Memory that is kept for the next volume."""

import platform
import subprocess
import sys

import pytest

# Pages that the system has to hand out for an array that is made and left again and again.
COUNT_FAULTS = """
import resource, sys
import numpy as np
from cender.pipeline.volumes.allocation import reuse_memory

if sys.argv[1] == "reuse":
    assert reuse_memory()
np.ones(4_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    np.ones(4_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the GNU C library can be told")
def test_arrays_take_the_place_of_those_that_are_gone() -> None:
    plain, reused = (
        int(subprocess.run([sys.executable, "-c", COUNT_FAULTS, how], capture_output=True, check=True).stdout)
        for how in ("plain", "reuse")
    )
    assert reused < plain / 5
