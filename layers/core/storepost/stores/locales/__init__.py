"""A workspace's locales: those of its stores, and those that people add."""
