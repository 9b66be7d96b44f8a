"""One file or one sub-room per format."""
