"""A look at a recording: what it seems to be, and what seems wrong with it."""
