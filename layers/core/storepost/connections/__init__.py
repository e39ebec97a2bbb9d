"""Connects stores to a workspace, and the links for that."""
