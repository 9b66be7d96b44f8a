"""How well cells are named across animals."""
