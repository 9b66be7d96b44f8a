"""Recordings: one file per format, all read lazily through one type."""
