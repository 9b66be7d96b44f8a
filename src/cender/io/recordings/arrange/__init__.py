"""From an array as a file has it to a recording: axes, sizes, roles, several files as one."""
