"""Stage 4: neurons in, identities out."""
