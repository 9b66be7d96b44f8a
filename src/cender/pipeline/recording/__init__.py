"""The second pass, over the tables: identities and traces of the whole recording."""
