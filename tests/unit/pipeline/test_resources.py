"""What a run settles with the system: memory that is kept for the next volume, threads of matrix products."""

import platform
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from cender.pipeline.resources import settle_resources

# Pages that the system has to hand out for an array that is made and left again and again.
COUNT_FAULTS = """
import resource, sys
import numpy as np
from cender.pipeline.resources import reuse_memory

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


def count_threads() -> set[int]:
    """Threads of the libraries that multiply matrices."""
    np.ones((2, 2)) @ np.ones((2, 2))
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_matrix_products_take_one_thread_for_as_long_as_the_work_lasts() -> None:
    with threadpool_limits(2, user_api="blas"):
        assert count_threads() == {2}
        with settle_resources():
            assert count_threads() == {1}
        assert count_threads() == {2}, "the program around it has its threads again"
