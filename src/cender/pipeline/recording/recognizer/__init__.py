"""Recognizers of a recording: kept as weights, learnt, and applied."""
