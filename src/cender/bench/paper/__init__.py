"""The paper's figures, with ours beside them."""
