"""Pictures of what is in the records: data and axes in, the axes back; the only room with matplotlib."""
