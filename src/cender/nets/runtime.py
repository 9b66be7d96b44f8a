"""OpenVINO, without its telemetry: it reports its own import to its makers unless the reporter cannot be found."""

import os
import sys
from typing import Any, cast

# Some virtual machines announce AMX and stop at its first instruction; torch trains in bfloat16 without it too. The
# user's own value stays.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

cast("dict[str, Any]", sys.modules).setdefault("openvino_telemetry", None)

import openvino as ov  # noqa: E402  (only now)
from openvino import opset13 as ops  # noqa: E402

__all__ = ["ops", "ov"]
