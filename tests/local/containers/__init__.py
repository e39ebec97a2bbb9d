"""The local run in containers, as far as it can be tested without an engine."""
