"""Human work in a run folder: ``annotations.sqlite``, an append-only log of edits and the state it leads to."""
