"""The figures of the README and the docs, measured on this machine."""
