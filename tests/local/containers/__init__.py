"""The local run in containers, as far as it goes without an engine."""
