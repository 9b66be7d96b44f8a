"""Recordings: one file a format, all read lazily through one type."""
