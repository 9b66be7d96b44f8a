"""MATLAB files, of version 5, 7 and 7.3."""
