"""Networks, one per file; with training the only rooms that know torch and OpenVINO."""
