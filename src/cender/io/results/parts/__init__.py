"""Finished pieces of the volume pass, and the tables that are made from them."""
