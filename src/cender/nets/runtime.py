"""OpenVINO, without its telemetry: it reports its own import to its makers unless the reporter cannot be found."""

import sys
from typing import Any, cast

cast("dict[str, Any]", sys.modules).setdefault("openvino_telemetry", None)

import openvino as ov  # noqa: E402  (only now)
from openvino import opset13 as ops  # noqa: E402

__all__ = ["ops", "ov"]
