"""The HTML page of a run, and its figures."""

from cender.report.write import write_report

__all__ = ["write_report"]
