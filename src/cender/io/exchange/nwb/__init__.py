"""NWB with the extension of the C. elegans labs: written by pynwb, read as the HDF5 that it is."""
