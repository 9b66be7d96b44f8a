"""Stages, recordings and folders joined to pieces of work."""
