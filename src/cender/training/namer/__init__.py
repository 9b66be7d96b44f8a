"""Learning cell names from animals that people named."""
