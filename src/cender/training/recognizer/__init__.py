"""Learning identities: from what people annotated, and from the recording itself."""
