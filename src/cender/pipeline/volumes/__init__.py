"""The first pass: every volume once, on threads or on a cluster."""
