"""How networks learn: one sub-room per network, and what they share."""
