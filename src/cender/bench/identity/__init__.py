"""How well neurons are recognized."""
