"""From where on something is in doubt: the same on the console, in the report and on the page."""

UNSURE_BELOW = 0.8
"""An identity with a lower probability deserves a look."""
FEW_SHARE = 0.5
"""Fewer neurons than this share of what is usual in the recording are few."""
RESULT_FROM = 0.5
"""A run is a result where at least this share of its neurons has an identity."""
