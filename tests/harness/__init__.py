"""Shared by all tests: the world that they drive, and the checks of a whole run."""
