"""Training with files: annotated folders in, weights out."""
