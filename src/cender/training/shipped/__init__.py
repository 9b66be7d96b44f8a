"""Weights that come with the package, each made by a command of its own."""
