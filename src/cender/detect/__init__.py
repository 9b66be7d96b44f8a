"""Stage 2: a head in, regions out."""
