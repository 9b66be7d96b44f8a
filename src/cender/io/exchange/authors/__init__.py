"""Files of the paper's authors: their MATLAB boxes, JSON files, labelme heads and box arrays, one format per file.

They count pixels, frames and identities in ways of their own; what is read here is 0-based and half-open.
"""
