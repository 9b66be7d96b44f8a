"""Annotations from and to files of other tools and labs: one format per file, listed in `formats`."""
