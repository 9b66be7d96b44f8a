"""How close the simulator is to real recordings."""
