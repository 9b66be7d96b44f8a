"""Cell names of a run folder."""
