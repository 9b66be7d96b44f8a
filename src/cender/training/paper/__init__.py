"""Learning as the paper does it: its detector and its embedding."""
