"""How well heads, axes and neurons are found."""
