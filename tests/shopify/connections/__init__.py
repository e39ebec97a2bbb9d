"""Connections of a workspace to shops."""
