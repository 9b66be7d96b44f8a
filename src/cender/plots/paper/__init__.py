"""The paper's figures, in its numbering, drawn from our own data."""
