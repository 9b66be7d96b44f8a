"""The run folder: its files, its format, its lock."""
