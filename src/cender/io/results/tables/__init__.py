"""Tables with checked columns."""
