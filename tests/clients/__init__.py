"""A client as somebody else's generator makes it, and its first calls of a local run."""
