"""Truth folders: what people, simulators and other labs know of a recording."""
