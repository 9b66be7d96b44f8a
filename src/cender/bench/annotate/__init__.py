"""How the annotation page does: edits that are lost, waiting times, and actions that a correction takes."""
