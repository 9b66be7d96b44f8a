"""TIFF: single files, and folders of them."""
