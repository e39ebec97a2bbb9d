"""A workspace's locales: those that its stores have, and those that people add."""
