"""Simulated recordings with their complete truth."""

from cender.simulate.params import SimulateParams
from cender.simulate.recording import Simulation, simulate_recording

__all__ = ["SimulateParams", "Simulation", "simulate_recording"]
