"""The paper's recognition: features, embedding, one-to-one assignment."""
